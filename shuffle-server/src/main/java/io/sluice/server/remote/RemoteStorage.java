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
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The files of one server on a remote file system that servers share.
 *
 * <pre>
 *   BASE/APPLICATION/SERVER/RUNID.run
 * </pre>
 *
 * This class lists, writes and deletes only in the directories of its server, lists and deletes in
 * those that it has {@linkplain #adopt adopted} from lost servers, and deletes empty directories of
 * applications: other servers may still have data of an application that ended here. Files are
 * written under their final names, because renaming is a copy on some object stores; a file without
 * a catalog record is unreferenced.
 *
 * <p>Files of earlier epochs are known after {@link #list}. Thread-safe; does no I/O under the
 * lock.
 */
public final class RemoteStorage implements Storage {
  /** Maximum number of directories that a heartbeat lists. */
  public static final int MAX_DIRECTORIES = 256;

  /** A character that application ids do not contain. */
  private static final String ESCAPE = "=";

  private final String name;
  private final RemoteFileSystem files;
  private final AdoptionMarks marks;
  private final Renaming renaming;
  private final long limitBytes;
  private final long preferredMinBytes;

  /** Held while this server gets another directory. */
  private final Object renamingLock = new Object();

  /** Directory of new files. */
  @GuardedBy("this")
  private String server;

  @GuardedBy("this")
  private final Map<String, Stored> stored = new HashMap<>();

  @GuardedBy("this")
  private final Map<String, Integer> filesByDirectory = new HashMap<>();

  /** Names of the directories that this server has adopted. */
  @GuardedBy("this")
  private final Set<String> adopted = new LinkedHashSet<>();

  /** Adopted directories that have no files any longer. */
  @GuardedBy("this")
  private final Set<String> released = new LinkedHashSet<>();

  /** Directories of which all files are known. */
  @GuardedBy("this")
  private final Set<String> listed = new HashSet<>();

  @GuardedBy("this")
  private long storedBytes;

  private volatile RemoteSpace space = new RemoteSpace(0, 0);

  /**
   * A stored file.
   *
   * @param application directory of its application
   * @param server directory of the server that wrote it
   */
  private record Stored(String application, String server, long length) {
    String directory() {
      return application + "/" + server;
    }
  }

  /** Gives this server another directory, after its own one was adopted. */
  public interface Renaming {
    /** Returns the new unique name, and records it for the next start. */
    String rename() throws IOException;
  }

  /**
   * @param name name for messages
   * @param files takes
   * @param server unique name of this server's directories
   * @param limitBytes maximum bytes to store; {@link Long#MAX_VALUE}: no limit
   * @param preferredMinBytes minimum length of files to move here first, to limit the number of
   *     files
   * @param renaming called at most once at a time
   */
  public RemoteStorage(
      String name,
      RemoteFileSystem files,
      String server,
      Renaming renaming,
      long limitBytes,
      long preferredMinBytes) {
    if (server.isEmpty() || server.contains("/") || server.startsWith(".")) {
      throw new IllegalArgumentException("\"" + server + "\" is not a valid directory name");
    }
    this.name = name;
    this.files = files;
    this.marks = new AdoptionMarks(files);
    this.server = server;
    this.renaming = renaming;
    this.limitBytes = limitBytes;
    this.preferredMinBytes = preferredMinBytes;
  }

  /** Directories that were adopted before a restart; called before {@link #list}. */
  synchronized void alsoServe(Collection<String> directories) {
    adopted.addAll(directories);
  }

  /**
   * Adopts the directory of a lost server: marks it, so that the server does not use it if it
   * returns, and lists its files, which belong to this storage from now on.
   *
   * @throws IOException if the directory cannot be marked and listed; nothing is adopted then
   */
  public List<Entry> adopt(String directory) throws IOException {
    synchronized (this) {
      adopted.add(directory);
      released.remove(directory);
    }
    boolean complete = false;
    try {
      marks.write(directory, own());
      List<Entry> entries = new ArrayList<>();
      for (RemoteEntry application : applications()) {
        addFiles(application.name(), directory, entries);
      }
      addListed(List.of(directory));
      complete = true;
      return entries;
    } finally {
      if (!complete) {
        abandon(directory);
      }
    }
  }

  /** Forgets an adopted directory that has no files. */
  synchronized void release(String directory) {
    abandon(directory);
    released.add(directory);
  }

  /** Forgets an adopted directory and its files, without deleting them. */
  public synchronized void abandon(String directory) {
    adopted.remove(directory);
    listed.remove(directory);
    List<String> forgotten = new ArrayList<>();
    stored.forEach(
        (file, found) -> {
          if (found.server().equals(directory)) {
            forgotten.add(file);
          }
        });
    forgotten.forEach(this::removeEntry);
  }

  /** Forgets one file, without deleting it. */
  public synchronized void forget(String file) {
    find(file).map(Stored::server).ifPresent(listed::remove);
    removeEntry(file);
  }

  /** The directory with a file, as in {@link #directories}; empty if the file is not known. */
  public Optional<String> directoryOf(String file) {
    return find(file).map(Stored::server);
  }

  /** {@inheritDoc} The first one is that of new files. */
  @Override
  public synchronized List<String> directories() {
    List<String> all = new ArrayList<>(List.of(server));
    all.addAll(adopted);
    return all;
  }

  @Override
  public synchronized List<String> emptyDirectories() {
    Set<String> empty = new LinkedHashSet<>(directories());
    empty.retainAll(listed);
    filesByDirectory.keySet().forEach(path -> empty.remove(path.substring(path.indexOf('/') + 1)));
    empty.addAll(released);
    return empty.stream().limit(MAX_DIRECTORIES).toList();
  }

  private synchronized void addListed(Collection<String> directories) {
    listed.addAll(directories);
  }

  private synchronized void removeListed(String directory) {
    listed.remove(directory);
  }

  private synchronized String own() {
    return server;
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
    return find(file).map(found -> files.base() + "/" + found.directory() + "/" + file);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IOException also if it is 0: a name node has started, and knows no data node yet
   */
  @Override
  public long capacityBytes() throws IOException {
    RemoteSpace found = files.space();
    if (found.capacityBytes() == 0) {
      throw new IOException(files.base() + " has a capacity of 0 bytes");
    }
    space = found;
    return Math.min(limitBytes, space.capacityBytes());
  }

  /** Free space at the last {@link #capacityBytes}, minus bytes stored since. */
  @Override
  public synchronized long freeBytes() {
    return Math.max(0, Math.min(limitBytes - storedBytes, space.freeBytes()));
  }

  @Override
  public NewFile create(String file) throws IOException {
    return new Writing(ESCAPE, file);
  }

  @Override
  public NewFile create(String file, String application) throws IOException {
    return new Writing(directory(application), file);
  }

  /**
   * Checks that no other server has adopted the directory of a written file: an adopter lists the
   * files after it has written the mark, and may not know this one. Otherwise new files get another
   * directory.
   */
  private void checkNotAdopted(String directory) throws IOException {
    Optional<String> adopter = marks.adopterOf(directory);
    if (adopter.isPresent()) {
      String another = replace(directory);
      throw new IOException(
          "directory "
              + directory
              + " of "
              + files.base()
              + " was adopted by "
              + adopter.get()
              + " while this server was lost; it writes to "
              + another
              + " from now on");
    }
  }

  /** Returns the directory of new files, another one than the given one. */
  private String replace(String directory) throws IOException {
    synchronized (renamingLock) {
      if (!own().equals(directory)) {
        return own();
      }
      String another = renaming.rename();
      for (String each : directories()) {
        // So that this server recognizes what it has adopted.
        if (!each.equals(directory) && marks.adopterOf(each).equals(Optional.of(directory))) {
          marks.write(each, another);
        }
      }
      synchronized (this) {
        server = another;
        listed.add(another);
      }
      return another;
    }
  }

  /** Whether this server deletes the files of a directory, not one that adopted it. */
  private boolean owns(String directory) throws IOException {
    Optional<String> adopter = marks.adopterOf(directory);
    String own = own();
    return directory.equals(own) ? adopter.isEmpty() : adopter.equals(Optional.of(own));
  }

  @Override
  public FileChannel open(String file) throws IOException {
    Stored found =
        find(file).orElseThrow(() -> new NoSuchFileException(files.base() + "/*/" + file));
    String path = found.directory() + "/" + file;
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
    String directory = found.get().server();
    if (!owns(directory)) {
      // Another server serves the file. If that one is lost, too, a third one adopts the directory,
      // but only if this server does not list it as its own.
      forget(file);
      replace(directory);
      return;
    }
    files.delete(found.get().directory() + "/" + file);
    removeEntry(file);
    clear(found.get().application(), directory);
  }

  @Override
  public List<Entry> list() throws IOException {
    List<Entry> entries = new ArrayList<>();
    List<String> directories = directories();
    for (RemoteEntry application : applications()) {
      for (String directory : directories) {
        addFiles(application.name(), directory, entries);
      }
    }
    addListed(directories);
    return entries;
  }

  private List<RemoteEntry> applications() throws IOException {
    return files.list("").stream()
        .filter(entry -> entry.isDirectory() && !entry.name().equals(AdoptionMarks.DIRECTORY))
        .toList();
  }

  private void addFiles(String application, String directory, List<Entry> entries)
      throws IOException {
    for (RemoteEntry each : files.list(application + "/" + directory)) {
      if (!each.isDirectory()) {
        entries.add(new Entry(each.name(), each.length()));
        addEntry(each.name(), new Stored(application, directory, each.length()));
      }
    }
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
  private void clear(String application, String directory) throws IOException {
    synchronized (this) {
      if (filesByDirectory.containsKey(application + "/" + directory)) {
        return;
      }
    }
    files.deleteEmptyDirectory(application + "/" + directory);
    files.deleteEmptyDirectory(application);
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
    private final String application;
    private final String server = own();
    private final String file;
    private final RemoteOutput output;
    private final RemoteWriteChannel channel;
    private boolean completed;
    private boolean committed;

    Writing(String application, String file) throws IOException {
      this.application = application;
      this.file = file;
      this.output = files.create(path());
      this.channel = new RemoteWriteChannel(output);
    }

    private String path() {
      return application + "/" + server + "/" + file;
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
      checkNotAdopted(server);
      checkStored(length);
      committed = true;
      addEntry(file, new Stored(application, server, length));
    }

    /** Some connectors complete a failed upload without an exception. */
    private void checkStored(long length) throws IOException {
      String path = path();
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
      boolean known = false;
      try {
        channel.close();
        output.close();
        if (completed && !committed) {
          files.delete(path());
        }
        known = true;
      } finally {
        if (!known) {
          // It may be there, and the next start deletes it.
          removeListed(server);
        }
      }
      if (!committed) {
        clear(application, server);
      }
    }
  }
}
