package io.sluice.metrics.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/** Makes answers shorter for those who can read them so. */
final class Gzip {
  /** Smaller bodies are not worth compressing. */
  private static final int COMPRESS_FROM = 1024;

  private Gzip() {}

  /** The answer as it goes to the peer that called. */
  static HttpAnswer encoded(HttpCall call, HttpAnswer answer) {
    byte[] body = answer.body();
    if (body.length < COMPRESS_FROM) {
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
      throw new UncheckedIOException(e); // Memory does not fail.
    }
    return out.toByteArray();
  }
}
