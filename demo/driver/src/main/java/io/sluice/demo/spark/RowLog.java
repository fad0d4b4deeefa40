package io.sluice.demo.spark;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Copies rows from uncompressed map output files of the built-in shuffle into one file for each
 * exchange, in the blocks that the plugin would write.
 *
 * <pre>
 *  4 number of fields   8 bytes of all blocks of the exchange
 *  then for each logged block: 4 length   4 rows   the rows
 * </pre>
 */
final class RowLog {
  private static final int BLOCK_BYTES = 512 << 10;
  private static final Pattern DATA = Pattern.compile("shuffle_(\\d+)_(\\d+)_0\\.data");

  private final Path localDirectory;
  private final Path target;
  private final long sampleBytes;

  /**
   * @param localDirectory Spark's local directory
   * @param sampleBytes approximate maximum of the logged bytes of an exchange
   */
  RowLog(Path localDirectory, Path target, long sampleBytes) {
    this.localDirectory = localDirectory;
    this.target = target;
    this.sampleBytes = sampleBytes;
  }

  /**
   * Logs and deletes all map output files.
   *
   * @param fields number of fields of the rows by shuffle
   */
  void save(String query, Map<Integer, Integer> fields) throws IOException {
    Map<Integer, List<MapFiles>> files = new TreeMap<>();
    Map<String, Path> all = find();
    all.forEach(
        (name, file) -> {
          Matcher matcher = DATA.matcher(name);
          if (matcher.matches()) {
            files
                .computeIfAbsent(Integer.parseInt(matcher.group(1)), key -> new ArrayList<>())
                .add(new MapFiles(file, all.get(name.replace(".data", ".index"))));
          }
        });
    int number = 0;
    for (Map.Entry<Integer, List<MapFiles>> exchange : files.entrySet()) {
      if (fields.containsKey(exchange.getKey())) {
        save(query + "-" + number++, fields.get(exchange.getKey()), exchange.getValue());
      }
      for (MapFiles file : exchange.getValue()) {
        Files.delete(file.data);
        Files.delete(file.index);
      }
    }
  }

  /** Files of one map task; Spark keeps them in different directories. */
  private record MapFiles(Path data, Path index) {}

  private Map<String, Path> find() throws IOException {
    Map<String, Path> found = new TreeMap<>();
    try (Stream<Path> files = Files.walk(localDirectory)) {
      files
          .filter(Files::isRegularFile)
          .forEach(file -> found.put(file.getFileName().toString(), file));
    }
    return found;
  }

  private void save(String name, int fields, List<MapFiles> files) throws IOException {
    long total = 0;
    long blocks = 0;
    for (MapFiles file : files) {
      total += Files.size(file.data);
    }
    long stride = Math.max(1, (total + sampleBytes - 1) / sampleBytes);
    Path rows = target.resolve(name + ".rows");
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(rows), 1 << 16))) {
      out.writeInt(fields);
      out.writeLong(total);
      for (MapFiles file : files) {
        blocks = saveFile(file, blocks, stride, out);
      }
    }
  }

  private static long saveFile(MapFiles file, long before, long stride, DataOutputStream out)
      throws IOException {
    ByteBuffer offsets = ByteBuffer.wrap(Files.readAllBytes(file.index));
    byte[] block = new byte[BLOCK_BYTES];
    long blocks = before;
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file.data), 1 << 20))) {
      long from = offsets.getLong();
      while (offsets.hasRemaining()) {
        long end = offsets.getLong();
        int filled = 0;
        int rows = 0;
        while (from < end) {
          int length = in.readInt();
          int needed = Integer.BYTES + length;
          if (rows > 0 && filled + needed > BLOCK_BYTES) {
            blocks = add(block, filled, rows, blocks, stride, out);
            filled = 0;
            rows = 0;
          }
          if (needed > block.length) {
            block = new byte[needed];
          }
          ByteBuffer.wrap(block).putInt(filled, length);
          in.readFully(block, filled + Integer.BYTES, length);
          filled += needed;
          from += needed;
          rows++;
        }
        if (rows > 0) {
          blocks = add(block, filled, rows, blocks, stride, out);
        }
      }
    }
    return blocks;
  }

  private static long add(
      byte[] block, int length, int rows, long number, long stride, DataOutputStream out)
      throws IOException {
    if (number % stride == 0) {
      out.writeInt(length);
      out.writeInt(rows);
      out.write(block, 0, length);
    }
    return number + 1;
  }
}
