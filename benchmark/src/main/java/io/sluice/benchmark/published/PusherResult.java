package io.sluice.benchmark.published;

import io.sluice.cli.bench.BenchReport;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * Measurements of a process with many pushers. One line of text: retries, and the compressed
 * histogram of task times in Base64, separated by a blank.
 *
 * @param retries pushes that were refused temporarily and sent again
 * @param taskUs microseconds from the start to the end of each task
 */
record PusherResult(long retries, Histogram taskUs) {
  private static final int FIELDS = 2;

  static PusherResult of(BenchReport report) {
    return new PusherResult(report.repeats(), report.taskUs());
  }

  String toLine() {
    ByteBuffer bytes = ByteBuffer.allocate(taskUs.getNeededByteBufferCapacity());
    int length = taskUs.encodeIntoCompressedByteBuffer(bytes);
    byte[] used = new byte[length];
    bytes.flip().get(used);
    return retries + " " + Base64.getEncoder().encodeToString(used);
  }

  /**
   * Parses a line.
   *
   * @throws IllegalArgumentException if it is no line of {@link #toLine}
   */
  static PusherResult parse(String line) {
    String[] fields = line.split(" ");
    if (fields.length != FIELDS) {
      throw new IllegalArgumentException(
          "result of pushers: expected " + FIELDS + " fields, found \"" + line + "\"");
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(fields[1]));
      return new PusherResult(
          Long.parseLong(fields[0]), Histogram.decodeFromCompressedByteBuffer(bytes, 0));
    } catch (DataFormatException wrong) {
      throw new IllegalArgumentException(
          "result of pushers: damaged histogram: " + wrong.getMessage(), wrong);
    }
  }
}
