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
 * The files of one server on a remote file system that servers share.
 *
 * <pre>
 *   BASE/APPLICATION/SERVER/RUNID.run
 * </pre>
 *
 * This class lists, writes and deletes only in the directories of its server, and deletes empty
 * directories of applications: other servers may still have data of an application that ended here.
 * Files are written under their final names, because renaming is a copy on some object stores; a
 * file without a catalog record is unreferenced.
 *
 * <p>Files of earlier epochs are known after {@link #list}. Thread-safe; does no I/O under the
 * lock.
 */
public final class RemoteStorage implements Storage {
  /** A character that application ids do not contain. */
  private static final String ESCAPE = "=";

  private final String name;
  private final RemoteFileSystem files;
  private final String server;
  private final long limitBytes;
  private final long preferredMinBytes;

  @GuardedBy("this")
  private final Map<String, Stored> stored = new HashMap<>();

  @GuardedBy("this")
  private final Map<String, Integer> filesByDirectory = new HashMap<>();

  @GuardedBy("this")
  private long storedBytes;

  private volatile RemoteSpace space = new RemoteSpace(0, 0);

  /**
   * A stored file.
   *
   * @param directory directory of its application
   */
  private record Stored(String directory, long length) {}

  /**
   * @param name name for messages
   * @param files takes
   * @param server unique name of this server's directories
   * @param limitBytes maximum bytes to store; {@link Long#MAX_VALUE}: no limit
   * @param preferredMinBytes minimum length of files to move here first, to limit the number of
   *     files
   */
  public RemoteStorage(
      String name, RemoteFileSystem files, String server, long limitBytes, long preferredMinBytes) {
    if (server.isEmpty() || server.contains("/") || server.startsWith(".")) {
      throw new IllegalArgumentException("\"" + server + "\" is not a valid directory name");
    }
    this.name = name;
    this.files = files;
    this.server = server;
    this.limitBytes = limitBytes;
    this.preferredMinBytes = preferredMinBytes;
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
  public long preferredMinBytes() {
    return preferredMinBytes;
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

  /** Free space at the last {@link #capacityBytes}, minus bytes stored since. */
  @Override
  public synchronized long freeBytes() {
    return Math.max(0, Math.min(limitBytes - storedBytes, space.freeBytes()));
  }

  /** Creates a file of no application; replaces a file of that name from an earlier epoch. */
  @Override
  public NewFile create(String file) throws IOException {
    files.delete(path(ESCAPE, file));
    return new Writing(ESCAPE, file);
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
  public FileChannel openFooter(String file) throws IOException {
    return new ReadAheadChannel(open(file));
  }

  @Override
  public void delete(String file) throws IOException {
    Optional<Stored> found = find(file);
    if (found.isEmpty()) {
      return;
    }
    String directory = found.get().directory();
    files.delete(path(directory, file));
    removeEntry(file);
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
            addEntry(each.name(), new Stored(directory.name(), each.length()));
          }
        }
      }
    }
    return entries;
  }

  /** Checks only that the file system answers: listing all directories would take many requests. */
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

  private synchronized void addEntry(String file, Stored added) {
    Stored before = stored.put(file, added);
    storedBytes += added.length() - (before == null ? 0 : before.length());
    if (before == null) {
      filesByDirectory.merge(added.directory(), 1, Integer::sum);
    }
  }

  private synchronized void removeEntry(String file) {
    Stored gone = stored.remove(file);
    if (gone != null) {
      storedBytes -= gone.length();
      filesByDirectory.computeIfPresent(
          gone.directory(), (directory, count) -> count == 1 ? null : count - 1);
    }
  }

  /**
   * Deletes an application's directories if they are empty. A file that is being written keeps
   * them; its writer calls this again if it fails.
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

  /** Escapes application ids that a file system would interpret, such as {@code ..}. */
  private static String directory(String application) {
    return application.startsWith(".") ? ESCAPE + application : application;
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
      addEntry(file, new Stored(directory, length));
    }

    /** Some connectors complete a failed upload without an exception. */
    private void checkStored(long length) throws IOException {
      String path = path(directory, file);
      try (RemoteInput input = files.open(path)) {
        if (input.length() != length) {
          throw wrongLength(path, input.length(), length);
        }
      } catch (NoSuchFileException e) {
        throw new IOException(
            files.base() + "/" + path + " does not exist after it was written", e);
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
