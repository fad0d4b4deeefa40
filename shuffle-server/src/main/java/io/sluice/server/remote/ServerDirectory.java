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
 * What a server needs to know of its part of a remote file system, kept in one of its local
 * directories:
 *
 * <pre>
 *   BASE/remote/name      name of the server's directories there, made once
 *   BASE/remote/catalog   catalog of its runs there
 * </pre>
 *
 * The name is the host's with a random number: neither a second server on the host nor another
 * cluster's server on a host of this name ever takes these runs for its own.
 *
 * @param name of the server's directories
 * @param catalog directory of the catalog
 */
record ServerDirectory(String name, Path catalog) {
  private static final String REMOTE = "remote";
  private static final String NAME = "name";
  private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
  private static final int MOST_OF_HOST = 100;

  /**
   * Finds it in the first directory that has it, or makes it in the first one.
   *
   * @param host for people who look at the remote file system
   * @throws IOException if it can neither be read nor made; one line
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
              + " does not hold a directory's name; delete "
              + file.getParent()
              + " to begin with a new one");
    }
    return name;
  }

  private static String name(String host, RandomGenerator random) {
    String plain = host.replaceAll("[^A-Za-z0-9.-]", "-").replaceFirst("^[.-]+", "");
    String shown = plain.substring(0, Math.min(MOST_OF_HOST, plain.length()));
    return (shown.isEmpty() ? "server" : shown) + String.format("_%016x", random.nextLong());
  }

  /** It is there whole or not at all. */
  private static void write(Path directory, String name) throws IOException {
    FileRights.OWNER_ONLY.makeDirectory(directory);
    Path temporary = directory.resolve(NAME + ".tmp");
    Files.write(temporary, (name + "\n").getBytes(StandardCharsets.UTF_8));
    Files.move(temporary, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
  }
}
