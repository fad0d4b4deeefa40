package io.sluice.cli;

import io.sluice.client.ClientConfig;
import io.sluice.common.config.ConfigDocs;
import io.sluice.common.config.ConfigSchema;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.ServerConfig;
import java.util.List;

/** The documentation of every key of every component. */
final class ConfigurationPage {
  private static final String HEAD =
      """
      # Configuration

      <!-- Generated: ./sluice configuration > docs/configuration.md -->

      Coordinator and server read files given with `--conf`: one `key value` or `key=value` per line, `#` begins a
      comment line. `-D key=value` overrides. Spark's plugin reads `spark.rss.…` from Spark's configuration.

      Sizes are written `64MiB`, `1g`, `512k` or as a plain number of bytes; k, m, g, t are powers of 1024. Times are
      written `500ms`, `10s`, `2m`, `1h`; a plain number counts milliseconds unless the table says otherwise. Keys,
      unlike values of a fixed list, are case-sensitive.

      A key that coordinator or server do not know stops the start, with every problem listed and the nearest right key
      named. In Spark an unknown `spark.rss.` key is only logged, so that no job fails for it. Names are those that
      Uniffle's users know wherever the meaning is the same.

      Keys marked **Reloadable** change in a running coordinator or server with `sluice admin reload`
      ([admin.md](admin.md#reload-the-configuration)); the others with a restart. Files with secrets, certificates and the exclude
      file are read again by themselves.
      """;

  private ConfigurationPage() {}

  static List<ConfigSchema> schemas() {
    return List.of(CoordinatorConfig.SCHEMA, ServerConfig.SCHEMA, ClientConfig.SCHEMA);
  }

  static String render() {
    return ConfigDocs.render(HEAD, schemas());
  }
}
