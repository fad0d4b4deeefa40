package io.sluice.server.remote;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The directories on the remote tier that a server has adopted completely, in the file {@code
 * BASE/remote/adopted} of a local directory: one line for each, with the name of the directory and
 * of the lost server. Thread-safe.
 */
final class AdoptedDirectories {
  private final Path file;
  private Map<String, String> servers;

  private AdoptedDirectories(Path file, Map<String, String> servers) {
    this.file = file;
    this.servers = servers;
  }

  /**
   * Reads the file; a missing file is empty.
   *
   * @throws IOException if a line is invalid; the message is one line
   */
  static AdoptedDirectories read(Path file) throws IOException {
    Map<String, String> servers = new LinkedHashMap<>();
    try {
      for (String line : Files.readAllLines(file)) {
        String[] words = line.split(" ", -1);
        if (words.length != 2 || !AdoptionMark.isDirectoryName(words[0]) || words[1].isEmpty()) {
          throw new IOException(
              "file " + file + ": expected a directory and a server in each line");
        }
        servers.put(words[0], words[1]);
      }
    } catch (NoSuchFileException e) {
      // Nothing was adopted.
    }
    return new AdoptedDirectories(file, Collections.unmodifiableMap(servers));
  }

  /** Names of lost servers, by directory. */
  synchronized Map<String, String> servers() {
    return servers;
  }

  synchronized void add(String directory, String server) throws IOException {
    Map<String, String> changed = new LinkedHashMap<>(servers);
    changed.put(directory, server);
    write(changed);
  }

  synchronized void remove(String directory) throws IOException {
    if (servers.containsKey(directory)) {
      Map<String, String> changed = new LinkedHashMap<>(servers);
      changed.remove(directory);
      write(changed);
    }
  }

  private synchronized void write(Map<String, String> changed) throws IOException {
    StringBuilder text = new StringBuilder();
    changed.forEach((directory, server) -> text.append(directory + " " + server + "\n"));
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    Files.write(temporary, text.toString().getBytes(StandardCharsets.UTF_8));
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    servers = Collections.unmodifiableMap(changed);
  }
}
