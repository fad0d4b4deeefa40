package io.sluice.metrics.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/** Compresses answers for clients that accept gzip. */
final class Gzip {
  /** Minimum length of compressed bodies in bytes. */
  private static final int MIN_COMPRESSED_BYTES = 1024;

  private Gzip() {}

  /** The answer with the encoding that the client accepts. */
  static HttpAnswer encoded(HttpCall call, HttpAnswer answer) {
    byte[] body = answer.body();
    if (body.length < MIN_COMPRESSED_BYTES) {
      return answer;
    }
    return accepted(call.header("Accept-Encoding"))
        ? answer.with(
            compressed(body), Map.of("Vary", "Accept-Encoding", "Content-Encoding", "gzip"))
        : answer.with(body, Map.of("Vary", "Accept-Encoding"));
  }

  private static boolean accepted(String encodings) {
    return encodings != null && encodings.contains("gzip") && !encodings.contains("gzip;q=0");
  }

  private static byte[] compressed(byte[] bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 3);
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Cannot happen: writes to memory.
    }
    return out.toByteArray();
  }
}
