package io.sluice.benchmark.report;

/** Text in HTML and SVG. */
final class Html {
  private Html() {}

  /** Escapes characters that have a meaning in elements and attributes. */
  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
