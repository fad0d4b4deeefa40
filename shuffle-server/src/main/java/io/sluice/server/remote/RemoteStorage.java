package io.sluice.server.remote;

import io.sluice.server.remote.spi.RemoteEntry;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteInput;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSpace;
import io.sluice.server.storage.Storage;
import io.sluice.server.storage.StorageKind;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one server keeps on a remote file system that it shares with others.
 *
 * <pre>
 *   BASE/APPLICATION/SERVER/RUNID.run
 * </pre>
 *
 * A file is called {@code APPLICATION/RUNID.run} here. This class never lists, writes or deletes
 * anything outside the directories that carry its server's name, but for directories of
 * applications that have become empty: one server's end of an application says nothing about
 * another's. Files are written under their final names, because renaming is a copy on some object
 * stores; until the catalog has a run, its file is nobody's.
 *
 * <p>{@link #capacityBytes} and {@link #freeBytes} answer what {@link #refresh} saw last and never
 * wait; everything else waits for the network. Thread-safe.
 */
public final class RemoteStorage implements Storage {
  private final RemoteFileSystem files;
  private final String server;
  private final long limitBytes;
  private final Map<String, Map<String, Long>> lengthsByApplication = new ConcurrentHashMap<>();
  private final AtomicLong storedBytes = new AtomicLong();
  private volatile RemoteSpace space = new RemoteSpace(0, 0);

  /**
   * @param files takes
   * @param server name of this server's directories, a path element that no other server has
   * @param limitBytes most bytes to store, {@link Long#MAX_VALUE}: what the file system takes
   */
  public RemoteStorage(RemoteFileSystem files, String server, long limitBytes) {
    if (server.isEmpty() || server.contains("/") || server.startsWith(".")) {
      throw new IllegalArgumentException("\"" + server + "\" is no name for a directory");
    }
    this.files = files;
    this.server = server;
    this.limitBytes = limitBytes;
  }

  @Override
  public String name() {
    return files.base();
  }

  @Override
  public StorageKind kind() {
    return StorageKind.REMOTE;
  }

  /** Where a file lies, for whoever can open it without this server. */
  public String location(String file) {
    return files.base() + "/" + path(file);
  }

  @Override
  public long capacityBytes() {
    return Math.min(limitBytes, space.capacityBytes());
  }

  @Override
  public long freeBytes() {
    return Math.max(0, Math.min(limitBytes - storedBytes.get(), space.freeBytes()));
  }

  /** Asks the file system how full it is. */
  public void refresh() throws IOException {
    space = files.space();
  }

  @Override
  public NewFile create(String file) throws IOException {
    return new Writing(file, files.create(path(file)));
  }

  @Override
  public FileChannel open(String file) throws IOException {
    RemoteInput input = files.open(path(file));
    Long written = lengths(application(file)).get(file);
    if (written != null && written != input.length()) {
      input.close();
      throw new IOException(
          location(file) + " has " + input.length() + " bytes, " + written + " were written");
    }
    return new RemoteReadChannel(input);
  }

  @Override
  public void delete(String file) throws IOException {
    files.delete(path(file));
    String application = application(file);
    if (forget(application, file)) {
      files.deleteEmptyDirectory(application + "/" + server);
      files.deleteEmptyDirectory(application);
    }
  }

  /** Also takes note of what there is, for {@link #freeBytes}. */
  @Override
  public List<Entry> list() throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (RemoteEntry application : files.list("")) {
      if (application.isDirectory()) {
        for (RemoteEntry each : files.list(application.name() + "/" + server)) {
          if (!each.isDirectory()) {
            entries.add(new Entry(application.name() + "/" + each.name(), each.length()));
          }
        }
      }
    }
    entries.forEach(entry -> stored(entry.file(), entry.length()));
    return entries;
  }

  @Override
  public void close() throws IOException {
    files.close();
  }

  private void stored(String file, long length) {
    lengthsByApplication.compute(
        application(file),
        (application, before) -> {
          Map<String, Long> lengths = before == null ? new ConcurrentHashMap<>() : before;
          Long earlier = lengths.put(file, length);
          storedBytes.addAndGet(length - (earlier == null ? 0 : earlier));
          return lengths;
        });
  }

  /** Whether the application has no file left. */
  private boolean forget(String application, String file) {
    return lengthsByApplication.computeIfPresent(
            application,
            (unused, lengths) -> {
              Long length = lengths.remove(file);
              storedBytes.addAndGet(length == null ? 0 : -length);
              return lengths.isEmpty() ? null : lengths;
            })
        == null;
  }

  private Map<String, Long> lengths(String application) {
    return lengthsByApplication.getOrDefault(application, Map.of());
  }

  private String path(String file) {
    String application = application(file);
    return application + "/" + server + "/" + file.substring(application.length() + 1);
  }

  private static String application(String file) {
    int slash = file.indexOf('/');
    if (slash < 1 || slash == file.length() - 1 || file.indexOf('/', slash + 1) >= 0) {
      throw new IllegalArgumentException("\"" + file + "\" is not APPLICATION/FILE");
    }
    return file.substring(0, slash);
  }

  private final class Writing implements NewFile {
    private final String file;
    private final RemoteOutput output;
    private final RemoteWriteChannel channel;
    private boolean completed;
    private boolean committed;

    Writing(String file, RemoteOutput output) {
      this.file = file;
      this.output = output;
      this.channel = new RemoteWriteChannel(output);
    }

    @Override
    public FileChannel channel() {
      return channel;
    }

    @Override
    public void commit() throws IOException {
      long length = channel.size();
      channel.close();
      output.complete();
      completed = true;
      checkStored(length);
      committed = true;
      stored(file, length);
    }

    /** Some object stores end an upload that failed without a word. */
    private void checkStored(long length) throws IOException {
      try (RemoteInput input = files.open(path(file))) {
        if (input.length() != length) {
          throw new IOException(
              location(file) + " has " + input.length() + " bytes, " + length + " were written");
        }
      } catch (NoSuchFileException e) {
        throw new IOException(location(file) + " is not there after it was written", e);
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
      output.close();
      if (completed && !committed) {
        files.delete(path(file));
      }
    }
  }
}
