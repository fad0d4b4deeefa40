package io.sluice.demo.staging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Spark installation, of which the demo uses only the jars. The demo's driver runs on all supported
 * versions; the jar of the plugin depends on the version ({@link #client}).
 *
 * @param directory directory with the subdirectory {@code jars}
 * @param version version line, such as 4.2
 * @param scala binary version of Scala, such as 2.12
 */
public record SparkHome(Path directory, String version, String scala) {
  private static final Pattern CORE =
      Pattern.compile("spark-core_(2\\.1[23])-((\\d+)\\.\\d+)\\..*\\.jar");
  private static final String OLD = "3.5";
  private static final String NEW_MAJOR = "4";

  /** Supported versions, for messages. */
  static final String SUPPORTED = "Spark 3.5 or 4";

  /**
   * Packages that Spark needs opened on Java 17. Spark opens them for executors; for the driver,
   * its launcher must do it.
   */
  private static final List<String> OPENED_PACKAGES =
      List.of(
          "java.base/java.lang",
          "java.base/java.lang.invoke",
          "java.base/java.lang.reflect",
          "java.base/java.io",
          "java.base/java.net",
          "java.base/java.nio",
          "java.base/java.util",
          "java.base/java.util.concurrent",
          "java.base/java.util.concurrent.atomic",
          "java.base/jdk.internal.ref",
          "java.base/sun.nio.ch",
          "java.base/sun.nio.cs",
          "java.base/sun.security.action",
          "java.base/sun.util.calendar",
          "java.security.jgss/sun.security.krb5");

  static SparkHome of(Path directory) throws DemoException {
    Path jars = directory.resolve("jars");
    if (!Files.isDirectory(jars)) {
      throw DemoException.usage(
          "no Spark in "
              + directory
              + ": expected a directory with jars/; set --spark-home to a "
              + SUPPORTED
              + " installation");
    }
    try (Stream<Path> files = Files.list(jars)) {
      List<String> cores =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.startsWith("spark-core_"))
              .toList();
      for (String core : cores) {
        Matcher matcher = CORE.matcher(core);
        if (matcher.matches()
            && (matcher.group(2).equals(OLD) || matcher.group(3).equals(NEW_MAJOR))) {
          return new SparkHome(directory.toAbsolutePath(), matcher.group(2), matcher.group(1));
        }
      }
      throw DemoException.usage(
          "the Spark in "
              + directory
              + " is not "
              + SUPPORTED
              + ": jars/ contains "
              + (cores.isEmpty() ? "no spark-core_*.jar" : String.join(", ", cores)));
    } catch (IOException e) {
      throw DemoException.failed("cannot list " + jars + ": " + e.getMessage(), e);
    }
  }

  /** Part of the name of the plugin's jar: {@code sluice-client-spark-CLIENT-*.jar}. */
  String client() {
    return (version.equals(OLD) ? OLD : NEW_MAJOR) + "_" + scala;
  }

  Path jars() {
    return directory.resolve("jars");
  }

  static List<String> javaOptions() {
    return Stream.concat(
            OPENED_PACKAGES.stream().map(name -> "--add-opens=" + name + "=ALL-UNNAMED"),
            Stream.of("-Djdk.reflect.useDirectMethodHandle=false"))
        .toList();
  }

  /**
   * Creates a Spark home with links to the jars of this installation, so that executors create
   * their work directories in it and not in the user's installation.
   *
   * @return environment variables of the driver
   */
  Map<String, String> stage(Path directory) throws IOException {
    Files.createDirectories(directory);
    Files.createSymbolicLink(directory.resolve("jars"), jars());
    Files.writeString(
        directory.resolve("RELEASE"), "Spark " + version + " of " + this.directory + "\n");
    Map<String, String> environment = new TreeMap<>();
    environment.put("SPARK_HOME", directory.toString());
    environment.put("SPARK_SCALA_VERSION", scala);
    environment.put("SPARK_LOCAL_IP", "127.0.0.1");
    environment.put("SPARK_LOCAL_HOSTNAME", "127.0.0.1");
    return environment;
  }
}
