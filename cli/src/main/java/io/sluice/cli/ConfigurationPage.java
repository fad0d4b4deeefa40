package io.sluice.cli;

import io.sluice.client.ClientConfig;
import io.sluice.common.config.ConfigDocs;
import io.sluice.common.config.ConfigSchema;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.ServerConfig;
import java.util.List;

/** Reference page of the configuration keys of all components. */
final class ConfigurationPage {
  private static final String HEAD =
      """
      # Configuration

      <!-- Generated: ./sluice configuration > docs/configuration.md -->

      Coordinators and servers read the files given with `--conf`: one `key value` or `key=value` per line; lines that
      start with `#` are comments. `-D key=value` overrides the files. The Spark plugin reads `spark.rss.…` from Spark's
      configuration.

      Sizes: `64MiB`, `1g`, `512k`, or a number of bytes; k, m, g and t are powers of 1024. Times: `500ms`, `10s`, `2m`,
      `1h`; a number without unit is milliseconds unless the table names another unit. Keys are case-sensitive; values of a
      fixed list are not.

      Coordinators and servers do not start with an unknown key: the error message lists all problems and suggests the
      nearest known key. In Spark, an unknown `spark.rss.` key is only logged, so that no job fails. Keys with the same
      meaning as in Uniffle have Uniffle's name.

      Keys marked **Reloadable** can be changed in a running coordinator or server with `sluice admin reload`
      ([admin.md](admin.md#reload-the-configuration)); other keys need a restart. Changed secret files, certificates and
      exclude files are reloaded automatically.
      """;

  private ConfigurationPage() {}

  static List<ConfigSchema> schemas() {
    return List.of(CoordinatorConfig.SCHEMA, ServerConfig.SCHEMA, ClientConfig.SCHEMA);
  }

  static String render() {
    return ConfigDocs.render(HEAD, schemas());
  }
}
