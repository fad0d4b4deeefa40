package io.sluice.common.config;

import java.util.List;
import java.util.stream.Collectors;

/** Writes the documentation page of schemas as Markdown. The output depends on the input only. */
public final class ConfigDocs {

  private ConfigDocs() {}

  /**
   * A whole page.
   *
   * @param head Markdown before the first schema: the page's title and facts about all keys
   */
  public static String render(String head, List<ConfigSchema> schemas) {
    StringBuilder page = new StringBuilder(head.strip()).append('\n');
    for (ConfigSchema schema : schemas) {
      section(page, schema);
    }
    return page.toString();
  }

  private static void section(StringBuilder page, ConfigSchema schema) {
    String prefix = schema.shownPrefix();
    page.append("\n## ").append(schema.title()).append('\n');
    if (!schema.intro().isBlank()) {
      page.append('\n').append(schema.intro().strip()).append('\n');
    }
    if (!schema.first().isEmpty()) {
      page.append("\nSet these first:\n\n").append(first(schema)).append('\n');
    }
    page.append("\n| key | default | value | meaning |\n|---|---|---|---|\n");
    for (ConfigKey<?> key : schema.keys()) {
      row(
          page,
          "<a id=\"" + anchor(schema, key.name()) + "\"></a>" + code(prefix + key.name()),
          defaultCell(key),
          key.valueForm() + (key.isSecret() ? "; never printed" : ""),
          meaning(prefix, key));
    }
    for (ConfigSchema.Family family : schema.passedOn()) {
      row(page, code(prefix + family.prefix() + "*"), "", "text; never printed", family.doc());
    }
    if (!schema.ignored().isEmpty()) {
      page.append("\nKeys without effect, accepted with one line in the log:\n");
      page.append("\n| key | why | use instead |\n|---|---|---|\n");
      for (ConfigSchema.Ignored ignored : schema.ignored()) {
        row(page, code(prefix + ignored.name()), ignored.why(), ignored.replacement());
      }
    }
    if (!schema.removed().isEmpty()) {
      page.append(
          "\nRemoved keys, which stop the start with an error:\n\n| key | instead |\n|---|---|\n");
      for (ConfigSchema.Removed removed : schema.removed()) {
        row(page, code(prefix + removed.name()), removed.instead());
      }
    }
  }

  private static String first(ConfigSchema schema) {
    return schema.first().stream()
        .map(key -> "* [" + code(schema.shownPrefix() + key) + "](#" + anchor(schema, key) + ")")
        .collect(Collectors.joining("\n"));
  }

  /** Where links to a key lead. Two components can have keys of one name. */
  private static String anchor(ConfigSchema schema, String key) {
    return (schema.shownPrefix().isEmpty() ? schema.name() + "-" : schema.shownPrefix()) + key;
  }

  private static String defaultCell(ConfigKey<?> key) {
    if (key.isRequired()) {
      return "(required)";
    }
    return key.hasDescribedDefault() ? key.defaultText() : code(key.defaultText());
  }

  private static String meaning(String prefix, ConfigKey<?> key) {
    StringBuilder text = new StringBuilder(key.doc());
    if (key.isReloadable()) {
      text.append(" **Reloadable.**");
    }
    for (String earlier : key.deprecatedNames()) {
      text.append(" Earlier name: ").append(code(prefix + earlier)).append('.');
    }
    return text.toString();
  }

  private static String code(String text) {
    return text.isEmpty() ? "" : "`" + text + "`";
  }

  private static void row(StringBuilder page, String... cells) {
    for (String cell : cells) {
      page.append("| ")
          .append(cell.strip().replace("|", "\\|").replaceAll("\\s+", " "))
          .append(' ');
    }
    page.append("|\n");
  }
}
