package io.sluice.it.spark;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Java runtime in which drivers and executors run.
 *
 * @param feature its version, such as 8 or 17
 */
public record EngineJava(Path home, int feature) {
  /** Environment variable with the homes of other runtimes, separated by colons. */
  public static final String VARIABLE = "SLUICE_ENGINE_JAVAS";

  private static final Pattern VERSION =
      Pattern.compile("java\\.specification\\.version = (?:1\\.)?(\\d+)");

  /** The runtime of this process. */
  public static EngineJava ofTests() {
    return new EngineJava(Path.of(System.getProperty("java.home")), Runtime.version().feature());
  }

  /** The runtimes that the environment names. */
  public static List<EngineJava> configured() {
    return Arrays.stream(System.getenv().getOrDefault(VARIABLE, "").split(File.pathSeparator, -1))
        .filter(home -> !home.isEmpty())
        .map(home -> at(Path.of(home)))
        .toList();
  }

  private static EngineJava at(Path home) {
    try {
      Process process =
          new ProcessBuilder(
                  home.resolve("bin/java").toString(), "-XshowSettings:properties", "-version")
              .redirectErrorStream(true)
              .start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      Matcher version = VERSION.matcher(output);
      if (!version.find()) {
        throw new IllegalStateException(VARIABLE + ": no Java in " + home + ": " + output);
      }
      return new EngineJava(home, Integer.parseInt(version.group(1)));
    } catch (IOException e) {
      throw new UncheckedIOException(VARIABLE + ": no Java in " + home, e);
    }
  }

  String command() {
    return home.resolve("bin/java").toString();
  }

  /** Whether packages of the JDK are closed to reflection unless they are opened. */
  public boolean hasModules() {
    return feature >= 9;
  }

  @Override
  public String toString() {
    return "Java " + feature;
  }
}
