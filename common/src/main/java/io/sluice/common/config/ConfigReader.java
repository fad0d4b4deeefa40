package io.sluice.common.config;

import io.sluice.common.config.ConfigSchema.Family;
import io.sluice.common.config.ConfigSchema.Ignored;
import io.sluice.common.config.ConfigSchema.Removed;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads the values of a schema from files, options and maps. A later source overrides an earlier
 * one. Nothing is thrown before {@link #read}, which reports every problem of every source at once.
 *
 * <p>A file has one {@code key value} or {@code key=value} per line; a line that begins with {@code
 * #} is a comment. Belongs to one thread.
 */
public final class ConfigReader {
  private static final String RSS = "rss.";

  private final ConfigSchema schema;
  private final List<String> problems = new ArrayList<>();
  private final List<String> notices = new ArrayList<>();
  private final Map<ConfigKey<?>, Given> given = new LinkedHashMap<>();
  private final Map<Family, Map<String, String>> passedOn = new LinkedHashMap<>();
  private String prefix = "";

  /**
   * A value before it is parsed.
   *
   * @param source which file or option gave it, for telling apart "twice" and "overridden"
   * @param where {@code file:line} or the option
   * @param asName the name it was given under, an earlier one perhaps
   */
  private record Given(String source, String where, String asName, String text) {}

  private ConfigReader(ConfigSchema schema) {
    this.schema = schema;
  }

  public static ConfigReader of(ConfigSchema schema) {
    return new ConfigReader(schema);
  }

  /**
   * Reads an engine's configuration: only entries that begin with {@code prefix + "rss."} are ours,
   * and one that is unknown gives a notice instead of a problem, because a job should not fail for
   * it. Call it before the sources.
   *
   * @param enginePrefix such as {@code spark.}
   */
  public ConfigReader enginePrefix(String enginePrefix) {
    this.prefix = enginePrefix;
    return this;
  }

  /** Adds the lines of a file. */
  public ConfigReader file(Path file) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (CharacterCodingException notText) {
      problems.add(file + ": is not UTF-8 text");
      return this;
    } catch (IOException unreadable) {
      problems.add(
          Files.isDirectory(file)
              ? file + ": is a directory; give a file of \"key value\" lines"
              : Files.exists(file)
                  ? file + ": cannot be read; check its permissions"
                  : file + ": no such file; give one of \"key value\" lines");
      return this;
    }
    for (int i = 0; i < lines.size(); i++) {
      line(file.toString(), file + ":" + (i + 1), lines.get(i));
    }
    return this;
  }

  private void line(String source, String where, String raw) {
    String line = raw.replace("\uFEFF", "").strip();
    if (line.isEmpty() || line.startsWith("#")) {
      return;
    }
    int end = 0;
    while (end < line.length() && line.charAt(end) != '=' && !isBlank(line.charAt(end))) {
      end++;
    }
    String rest = line.substring(end).strip();
    boolean separated = !rest.isEmpty();
    String value = rest.startsWith("=") ? rest.substring(1).strip() : rest;
    if (end == 0 || !separated) {
      problems.add(where + ": \"" + line.substring(0, end) + "\" has no value; write key value");
      return;
    }
    add(source, where, line.substring(0, end), value);
  }

  private static boolean isBlank(char c) {
    return Character.isWhitespace(c);
  }

  /**
   * Adds {@code key=value} options of a command line.
   *
   * @param option how the user wrote it, for messages: {@code -D}
   */
  public ConfigReader options(String option, List<String> assignments) {
    for (String assignment : assignments) {
      int equals = assignment.indexOf('=');
      if (equals <= 0) {
        problems.add(option + " " + assignment + ": expected key=value");
      } else {
        String key = assignment.substring(0, equals).strip();
        add(option, option + " " + key, key, assignment.substring(equals + 1).strip());
      }
    }
    return this;
  }

  /**
   * Adds the entries of a map.
   *
   * @param source where they come from, for messages
   */
  public ConfigReader values(String source, Map<String, String> values) {
    new TreeMap<>(values)
        .forEach(
            (key, value) -> {
              if (prefix.isEmpty() || key.startsWith(prefix + RSS)) {
                add(source, source, key, value.strip());
              }
            });
    return this;
  }

  private void add(String source, String where, String fullName, String text) {
    if (!fullName.startsWith(prefix + RSS)) {
      problems.add(where + ": unknown key " + fullName + "; keys begin with " + prefix + RSS);
      return;
    }
    String name = fullName.substring(prefix.length());
    Object meaning = schema.meaningOf(name);
    if (meaning == null) {
      unknown(where, name);
    } else if (meaning instanceof Ignored ignored) {
      notices.add(where + ": " + fullName + " has no effect: " + ignored.notice());
    } else if (meaning instanceof Removed removed) {
      problems.add(where + ": " + fullName + " is no longer supported; " + removed.instead());
    } else if (meaning instanceof Family family) {
      passedOn
          .computeIfAbsent(family, unused -> new TreeMap<>())
          .put(name.substring(family.prefix().length()), text);
    } else {
      known((ConfigKey<?>) meaning, new Given(source, where, name, text));
    }
  }

  private void unknown(String where, String name) {
    String line =
        where
            + ": unknown key "
            + prefix
            + name
            + schema
                .nearest(name)
                .map(near -> "; did you mean " + prefix + near + "?")
                .orElse("; see the keys of the " + schema.name() + " in docs/configuration.md");
    (prefix.isEmpty() ? problems : notices).add(line);
  }

  private void known(ConfigKey<?> key, Given value) {
    boolean deprecated = !value.asName.equals(key.name());
    if (deprecated) {
      notices.add(
          value.where
              + ": "
              + prefix
              + value.asName
              + " is deprecated; write "
              + prefix
              + key.name());
    }
    Given earlier = given.get(key);
    if (earlier == null || !earlier.source.equals(value.source)) {
      given.put(key, value);
      return;
    }
    // Twice in one source: the present name beats an earlier one, else the last wins.
    boolean keepEarlier = deprecated && earlier.asName.equals(key.name());
    Given used = keepEarlier ? earlier : value;
    given.put(key, used);
    notices.add(
        value.where
            + ": "
            + prefix
            + key.name()
            + " is set more than once; the value used is that of "
            + (used.where.equals(value.where) ? prefix + used.asName + " there" : used.where));
  }

  /**
   * Parses and checks all that was added.
   *
   * @throws ConfigException with every problem, one a line
   */
  public ConfigSet read() {
    List<String> found = new ArrayList<>(problems);
    Map<ConfigKey<?>, Object> values = new LinkedHashMap<>();
    given.forEach(
        (key, value) -> {
          try {
            values.put(key, key.parse(value.text));
          } catch (IllegalArgumentException wrong) {
            found.add(value.where + ": " + prefix + value.asName + ": " + wrong.getMessage());
          }
        });
    for (ConfigKey<?> key : schema.keys()) {
      if (key.isRequired() && !given.containsKey(key)) {
        found.add(prefix + key.name() + " is not set and has no default; give " + key.valueForm());
      }
    }
    ConfigSet set = new ConfigSet(schema, values, passedOn, notices);
    if (found.isEmpty()) {
      for (ConfigSchema.Rule rule : schema.rules()) {
        rule.apply(set).ifPresent(found::add);
      }
    }
    if (!found.isEmpty()) {
      throw new ConfigException(found);
    }
    return set;
  }
}
