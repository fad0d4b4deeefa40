package io.sluice.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tells whoever started a process that it accepts connections, and where: Java properties {@code
 * pid} and one per port. It appears whole, by rename.
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
