package io.sluice.server.remote;

import io.sluice.common.file.FileRights;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * Name and catalog of a server's files on a remote file system, stored in one of its local
 * directories:
 *
 * <pre>
 *   BASE/remote/name      name of the server's remote directories, created once
 *   BASE/remote/catalog   catalog of its remote runs
 * </pre>
 *
 * The name is the host name with a random number. It is unique even for several servers on a host,
 * and for hosts of the same name in other clusters.
 *
 * @param name of the server's directories
 * @param catalog directory of the catalog
 */
record ServerDirectory(String name, Path catalog) {
  private static final String REMOTE = "remote";
  private static final String NAME = "name";
  private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
  private static final int MAX_HOST_LENGTH = 100;

  /**
   * Reads the name from the first directory that has it, or creates it in the first directory.
   *
   * @param host host name, to identify the server on the remote file system
   * @throws IOException if it can neither be read nor created; the message is one line
   */
  static ServerDirectory in(List<Path> bases, String host, RandomGenerator random)
      throws IOException {
    for (Path base : bases) {
      Path file = base.resolve(REMOTE).resolve(NAME);
      if (Files.exists(file)) {
        return new ServerDirectory(read(file), catalogIn(base));
      }
    }
    Path base = bases.get(0);
    String name = name(host, random);
    write(base.resolve(REMOTE), name);
    return new ServerDirectory(name, catalogIn(base));
  }

  private static Path catalogIn(Path base) {
    return base.resolve(REMOTE).resolve("catalog");
  }

  private static String read(Path file) throws IOException {
    String name = Files.readString(file).strip();
    if (!VALID.matcher(name).matches()) {
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
