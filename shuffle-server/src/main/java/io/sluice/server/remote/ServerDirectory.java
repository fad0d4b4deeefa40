package io.sluice.server.remote;

import io.sluice.common.file.FileRights;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Name and catalog of a server's files on a remote file system, stored in its local directories:
 *
 * <pre>
 *   BASE/remote/name      name of the server's remote directories, in each local directory
 *   BASE/remote/catalog   catalog of its remote runs, in the first local directory
 *   BASE/remote/adopted   adopted directories of lost servers ({@link AdoptedDirectories}), beside
 *                         the catalog
 * </pre>
 *
 * The name is the host name with a random number. It is unique even for several servers on a host,
 * and for hosts of the same name in other clusters. If the local directory with the catalog is
 * lost, the server gets a new name; the old one is in the other local directories, so that the
 * server can adopt the runs in it as those of another server.
 *
 * @param name of the server's directories
 * @param catalog directory of the catalog
 * @param orphans names of directories whose catalog is lost, or not used any longer
 * @param bases all local directories
 */
record ServerDirectory(String name, Path catalog, List<String> orphans, List<Path> bases) {
  private static final Logger LOG = LoggerFactory.getLogger(ServerDirectory.class);

  private static final String REMOTE = "remote";
  private static final String NAME = "name";
  private static final String ADOPTED = "adopted";
  private static final int MAX_HOST_LENGTH = 100;

  ServerDirectory {
    orphans = List.copyOf(orphans);
    bases = List.copyOf(bases);
  }

  /**
   * Reads the name from the first directory that has it with a catalog, or creates it in the first
   * directory.
   *
   * @param host host name, to identify the server on the remote file system
   * @throws IOException if it can neither be read nor created; the message is one line
   */
  static ServerDirectory in(List<Path> bases, String host, RandomGenerator random)
      throws IOException {
    String name = null;
    Path base = bases.get(0);
    Set<String> known = new LinkedHashSet<>();
    for (Path each : bases) {
      Path file = each.resolve(REMOTE).resolve(NAME);
      if (Files.exists(file)) {
        String stored = read(file);
        known.add(stored);
        if (name == null && Files.isDirectory(catalogIn(each))) {
          name = stored;
          base = each;
        }
      }
      if (name == null || !base.equals(each)) {
        known.addAll(AdoptedDirectories.read(adoptedIn(each)).servers().keySet());
      }
    }
    if (name == null) {
      name = name(host, random);
      write(base.resolve(REMOTE), name);
    }
    known.remove(name);
    ServerDirectory found = new ServerDirectory(name, catalogIn(base), List.copyOf(known), bases);
    // Names of orphans stay until their runs are adopted.
    found.writeToOthers(file -> !Files.exists(file));
    return found;
  }

  /** A new name, because another server has adopted the directory. */
  ServerDirectory renamed(RandomGenerator random) throws IOException {
    String another = name(name.substring(0, name.lastIndexOf('_')), random);
    write(catalog.getParent(), another);
    return new ServerDirectory(another, catalog, orphans, bases);
  }

  /** Records that the runs of all orphans are adopted. */
  void orphansAdopted() {
    writeToOthers(file -> true);
  }

  /** The file with the adopted directories. */
  Path adopted() {
    return catalog.resolveSibling(ADOPTED);
  }

  /** Writes the name to other directories than that of the catalog, where it is a copy. */
  private void writeToOthers(Predicate<Path> wanted) {
    for (Path base : bases) {
      Path remote = base.resolve(REMOTE);
      if (!remote.equals(catalog.getParent()) && wanted.test(remote.resolve(NAME))) {
        try {
          write(remote, name);
          Files.deleteIfExists(adoptedIn(base));
        } catch (IOException e) {
          LOG.warn(
              "name of the remote directory not written base={} problem={}", base, e.toString());
        }
      }
    }
  }

  private static Path adoptedIn(Path base) {
    return base.resolve(REMOTE).resolve(ADOPTED);
  }

  private static Path catalogIn(Path base) {
    return base.resolve(REMOTE).resolve("catalog");
  }

  private static String read(Path file) throws IOException {
    String name = Files.readString(file).strip();
    if (!AdoptionMark.isDirectoryName(name)) {
      throw new IOException(
          "file "
              + file
              + " does not contain a directory name; delete "
              + file.getParent()
              + " to create a new one");
    }
    return name;
  }

  private static String name(String host, RandomGenerator random) {
    String plain = host.replaceAll("[^A-Za-z0-9.-]", "-").replaceFirst("^[.-]+", "");
    String shown = plain.substring(0, Math.min(MAX_HOST_LENGTH, plain.length()));
    return (shown.isEmpty() ? "server" : shown) + String.format("_%016x", random.nextLong());
  }

  /** Writes atomically. */
  private static void write(Path directory, String name) throws IOException {
    FileRights.OWNER_ONLY.makeDirectory(directory);
    Path temporary = directory.resolve(NAME + ".tmp");
    Files.write(temporary, (name + "\n").getBytes(StandardCharsets.UTF_8));
    Files.move(temporary, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
  }
}
