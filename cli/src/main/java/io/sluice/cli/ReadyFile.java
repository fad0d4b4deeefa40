package io.sluice.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;

/**
 * File that a process writes once it accepts connections: Java properties with {@code pid} and one
 * entry for each port. A rename makes it visible atomically.
 */
final class ReadyFile {

  private ReadyFile() {}

  static void write(Path file, Map<String, Integer> ports) throws IOException {
    StringBuilder text = new StringBuilder("pid=" + ProcessHandle.current().pid() + "\n");
    new TreeMap<>(ports)
        .forEach((name, port) -> text.append(name).append('=').append(port).append('\n'));
    Path target = file.toAbsolutePath();
    Path unfinished = target.resolveSibling(target.getFileName() + ".unfinished");
    try {
      Files.writeString(unfinished, text);
      Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new IOException("ready file " + file + " cannot be written: " + e.getMessage(), e);
    }
  }
}
