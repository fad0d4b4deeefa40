package io.sluice.benchmark.merge;

import io.sluice.server.disk.Storage;
import io.sluice.server.disk.StorageKind;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A disk emulated in memory, for files that consist mostly of zeros. It does not wait, but sums the
 * times of a {@link DiskModel}.
 */
final class EmulatedDisk implements Storage {
  private static final long CAPACITY = 1L << 50;

  private final DiskModel model;
  private final Map<String, SparseContent> files = new ConcurrentHashMap<>();

  EmulatedDisk(DiskModel model) {
    this.model = model;
  }

  /** Copies the disk with its files; later changes of one disk do not affect the other. */
  EmulatedDisk copy(DiskModel copyModel) {
    EmulatedDisk copy = new EmulatedDisk(copyModel);
    copy.files.putAll(files);
    return copy;
  }

  @Override
  public String name() {
    return "emulated";
  }

  @Override
  public StorageKind kind() {
    return StorageKind.HDD;
  }

  @Override
  public long capacityBytes() {
    return CAPACITY;
  }

  @Override
  public long freeBytes() {
    return CAPACITY - files.values().stream().mapToLong(SparseContent::length).sum();
  }

  @Override
  public NewFile create(String file) {
    SparseContent content = new SparseContent();
    SparseChannel channel = new SparseChannel(content, model);
    return new NewFile() {
      @Override
      public FileChannel channel() {
        return channel;
      }

      @Override
      public void commit() throws IOException {
        if (files.putIfAbsent(file, content) != null) {
          throw new FileAlreadyExistsException(file);
        }
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    };
  }

  @Override
  public FileChannel open(String file) throws IOException {
    SparseContent content = files.get(file);
    if (content == null) {
      throw new NoSuchFileException(file);
    }
    return new SparseChannel(content, model);
  }

  @Override
  public void delete(String file) {
    files.remove(file);
  }

  @Override
  public List<Entry> list() {
    return files.entrySet().stream()
        .map(entry -> new Entry(entry.getKey(), entry.getValue().length()))
        .toList();
  }

  @Override
  public void close() {}
}
