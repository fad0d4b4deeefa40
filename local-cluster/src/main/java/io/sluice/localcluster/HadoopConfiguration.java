package io.sluice.localcluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Writes Hadoop's configuration files. */
final class HadoopConfiguration {
  private HadoopConfiguration() {}

  static void write(Path file, Map<String, String> settings) throws IOException {
    StringBuilder text = new StringBuilder("<configuration>\n");
    settings.forEach(
        (key, value) ->
            text.append("  <property><name>")
                .append(escaped(key))
                .append("</name><value>")
                .append(escaped(value))
                .append("</value></property>\n"));
    text.append("</configuration>\n");
    Files.writeString(file, text, StandardCharsets.UTF_8);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
