package io.sluice.it.mapreduce;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Output files of jobs. */
final class OutputFiles {
  private static final int SYNC_LENGTH = 16;

  private OutputFiles() {}

  /**
   * The files of a job by name, as Latin-1 text so that differences can be displayed. The random
   * sync markers in sequence files are zeroed.
   */
  static Map<String, String> of(Path directory) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> paths = Files.list(directory)) {
      for (Path path : paths.filter(OutputFiles::isData).toList()) {
        byte[] bytes = Files.readAllBytes(path);
        if (bytes.length > 4 && bytes[0] == 'S' && bytes[1] == 'E' && bytes[2] == 'Q') {
          zeroSync(bytes);
        }
        files.put(path.getFileName().toString(), new String(bytes, StandardCharsets.ISO_8859_1));
      }
    }
    return files;
  }

  /** All rows of text output, in the order of the files' names. */
  static String text(Path directory) throws IOException {
    return String.join("", of(directory).values());
  }

  private static boolean isData(Path path) {
    String name = path.getFileName().toString();
    return !name.startsWith("_") && !name.startsWith(".");
  }

  private static void zeroSync(byte[] file) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(file))) {
      in.skipNBytes(4);
      skipText(in);
      skipText(in);
      boolean compressed = in.readBoolean();
      in.readBoolean();
      if (compressed) {
        skipText(in);
      }
      if (in.readInt() != 0) {
        throw new IOException("sequence file with metadata is not supported");
      }
      int at = file.length - in.available();
      byte[] sync = Arrays.copyOfRange(file, at, at + SYNC_LENGTH);
      for (; at + SYNC_LENGTH <= file.length; at++) {
        if (Arrays.equals(file, at, at + SYNC_LENGTH, sync, 0, SYNC_LENGTH)) {
          Arrays.fill(file, at, at + SYNC_LENGTH, (byte) 0);
        }
      }
    }
  }

  /** Length of a class name, which must fit into one byte. */
  private static void skipText(DataInputStream in) throws IOException {
    int length = in.readByte();
    if (length < 0) {
      throw new IOException("class name of more than 127 bytes is not supported");
    }
    in.skipNBytes(length);
  }
}
