package io.sluice.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Digests of the output files of a job, for a comparison after the files have been deleted.
 *
 * @param files by name, without Hadoop's checksum and marker files
 */
public record JobOutput(SortedMap<String, Part> files) {
  private static final int BUFFER_BYTES = 1 << 20;

  /**
   * One file.
   *
   * @param digest SHA-256 of its bytes, in hexadecimal
   */
  public record Part(long length, String digest) {}

  public static JobOutput of(Path directory) throws IOException {
    SortedMap<String, Part> parts = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString();
        if (!name.startsWith("_") && !name.startsWith(".")) {
          parts.put(name, new Part(Files.size(file), digest(file)));
        }
      }
    }
    return new JobOutput(parts);
  }

  /** Differences between two outputs, one line each. */
  List<String> differences(JobOutput sluice) {
    List<String> lines = new ArrayList<>();
    if (files.isEmpty()) {
      lines.add("no output files");
    }
    SortedMap<String, Part> all = new TreeMap<>(files);
    all.putAll(sluice.files);
    for (String name : all.keySet()) {
      Part builtIn = files.get(name);
      Part other = sluice.files.get(name);
      if (builtIn == null || other == null) {
        lines.add(
            name
                + ": only "
                + (builtIn == null ? "through Sluice" : "with Hadoop's built-in shuffle"));
      } else if (!builtIn.equals(other)) {
        lines.add(
            ("%s: %d bytes with SHA-256 %s with Hadoop's built-in shuffle, %d bytes with "
                    + "SHA-256 %s through Sluice")
                .formatted(name, builtIn.length, builtIn.digest, other.length, other.digest));
      }
    }
    return lines;
  }

  private static String digest(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        digest.update(buffer, 0, count);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
