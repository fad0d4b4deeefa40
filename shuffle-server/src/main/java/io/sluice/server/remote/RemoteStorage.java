package io.sluice.server.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.server.disk.Storage;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.remote.spi.RemoteEntry;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteInput;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSpace;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one server keeps on a remote file system that it shares with others.
 *
 * <pre>
 *   BASE/APPLICATION/SERVER/RUNID.run
 * </pre>
 *
 * This class never lists, writes or deletes anything outside the directories that carry its
 * server's name, but for directories of applications that have become empty: one server's end of an
 * application says nothing about another's. Files are written under their final names, because
 * renaming is a copy on some object stores; until the catalog has a run, its file is nobody's.
 *
 * <p>Files of an earlier life are known once {@link #list} has found them. Thread-safe; nothing
 * waits for the network under the lock.
 */
public final class RemoteStorage implements Storage {
  /** No application's name has this character. */
  private static final String OUR_MARK = "~";

  private final String name;
  private final RemoteFileSystem files;
  private final String server;
  private final long limitBytes;
  private final long worthwhileBytes;

  @GuardedBy("this")
  private final Map<String, Stored> stored = new HashMap<>();

  @GuardedBy("this")
  private final Map<String, Integer> filesByDirectory = new HashMap<>();

  @GuardedBy("this")
  private long storedBytes;

  private volatile RemoteSpace space = new RemoteSpace(0, 0);

  /**
   * A file that is there.
   *
   * @param directory of its application
   */
  private record Stored(String directory, long length) {}

  /**
   * @param name for messages
   * @param files takes
   * @param server name of this server's directories, which no other server has
   * @param limitBytes most bytes to store, {@link Long#MAX_VALUE}: what the file system takes
   * @param worthwhileBytes length from which a file is worth its place among the file system's
   *     names
   */
  public RemoteStorage(
      String name, RemoteFileSystem files, String server, long limitBytes, long worthwhileBytes) {
    if (server.isEmpty() || server.contains("/") || server.startsWith(".")) {
      throw new IllegalArgumentException("\"" + server + "\" is no name for a directory");
    }
    this.name = name;
    this.files = files;
    this.server = server;
    this.limitBytes = limitBytes;
    this.worthwhileBytes = worthwhileBytes;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public StorageKind kind() {
    return StorageKind.REMOTE;
  }

  @Override
  public long worthwhileBytes() {
    return worthwhileBytes;
  }

  @Override
  public Optional<String> location(String file) {
    return find(file).map(found -> files.base() + "/" + path(found.directory(), file));
  }

  @Override
  public long capacityBytes() throws IOException {
    space = files.space();
    return Math.min(limitBytes, space.capacityBytes());
  }

  /** As {@link #capacityBytes} found it, less what was stored since. */
  @Override
  public synchronized long freeBytes() {
    return Math.max(0, Math.min(limitBytes - storedBytes, space.freeBytes()));
  }

  /** A file that belongs to no application; one that an earlier life left under its name goes. */
  @Override
  public NewFile create(String file) throws IOException {
    files.delete(path(OUR_MARK, file));
    return new Writing(OUR_MARK, file);
  }

  @Override
  public NewFile create(String file, String application) throws IOException {
    return new Writing(directory(application), file);
  }

  @Override
  public FileChannel open(String file) throws IOException {
    Stored found =
        find(file).orElseThrow(() -> new NoSuchFileException(files.base() + "/*/" + file));
    String path = path(found.directory(), file);
    RemoteInput input = files.open(path);
    if (input.length() != found.length()) {
      input.close();
      throw wrongLength(path, input.length(), found.length());
    }
    return new RemoteReadChannel(input);
  }

  @Override
  public void delete(String file) throws IOException {
    Optional<Stored> found = find(file);
    if (found.isEmpty()) {
      return;
    }
    String directory = found.get().directory();
    files.delete(path(directory, file));
    forget(file);
    clear(directory);
  }

  @Override
  public List<Entry> list() throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (RemoteEntry directory : files.list("")) {
      if (directory.isDirectory()) {
        for (RemoteEntry each : files.list(directory.name() + "/" + server)) {
          if (!each.isDirectory()) {
            entries.add(new Entry(each.name(), each.length()));
            remember(each.name(), new Stored(directory.name(), each.length()));
          }
        }
      }
    }
    return entries;
  }

  /** Only that it answers: to look at all directories would cost many requests. */
  @Override
  public void checkPresent() throws IOException {
    files.space();
  }

  @Override
  public void close() throws IOException {
    files.close();
  }

  private synchronized Optional<Stored> find(String file) {
    return Optional.ofNullable(stored.get(file));
  }

  private synchronized void remember(String file, Stored added) {
    Stored before = stored.put(file, added);
    storedBytes += added.length() - (before == null ? 0 : before.length());
    if (before == null) {
      filesByDirectory.merge(added.directory(), 1, Integer::sum);
    }
  }

  private synchronized void forget(String file) {
    Stored gone = stored.remove(file);
    if (gone != null) {
      storedBytes -= gone.length();
      filesByDirectory.computeIfPresent(
          gone.directory(), (directory, count) -> count == 1 ? null : count - 1);
    }
  }

  /**
   * Deletes an application's directories if they are empty. A file that is being written keeps
   * them; its writer calls this again if it gives up.
   */
  private void clear(String directory) throws IOException {
    synchronized (this) {
      if (filesByDirectory.containsKey(directory)) {
        return;
      }
    }
    files.deleteEmptyDirectory(directory + "/" + server);
    files.deleteEmptyDirectory(directory);
  }

  private String path(String directory, String file) {
    return directory + "/" + server + "/" + file;
  }

  /** Some names that an application may have mean something else to a file system. */
  private static String directory(String application) {
    return application.startsWith(".") ? OUR_MARK + application : application;
  }

  private IOException wrongLength(String path, long found, long expected) {
    return new IOException(
        files.base() + "/" + path + " has " + found + " bytes, " + expected + " were written");
  }

  private final class Writing implements NewFile {
    private final String directory;
    private final String file;
    private final RemoteOutput output;
    private final RemoteWriteChannel channel;
    private boolean completed;
    private boolean committed;

    Writing(String directory, String file) throws IOException {
      this.directory = directory;
      this.file = file;
      this.output = files.create(path(directory, file));
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
      remember(file, new Stored(directory, length));
    }

    /** Some connectors end an upload that failed without a word. */
    private void checkStored(long length) throws IOException {
      String path = path(directory, file);
      try (RemoteInput input = files.open(path)) {
        if (input.length() != length) {
          throw wrongLength(path, input.length(), length);
        }
      } catch (NoSuchFileException e) {
        throw new IOException(files.base() + "/" + path + " is not there after it was written", e);
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
      output.close();
      if (!committed) {
        if (completed) {
          files.delete(path(directory, file));
        }
        clear(directory);
      }
    }
  }
}
