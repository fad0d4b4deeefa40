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
 * An installation of Spark as far as the demo needs one: its jars. The demo's driver is compiled
 * once and runs on all versions; the plugin's jar is one of several ({@link #client}).
 *
 * @param directory the directory that holds {@code jars/}
 * @param version such as 4.2
 * @param scala binary version of Scala that it is built with, such as 2.12
 */
public record SparkHome(Path directory, String version, String scala) {
  private static final Pattern CORE =
      Pattern.compile("spark-core_(2\\.1[23])-((\\d+)\\.\\d+)\\..*\\.jar");
  private static final String OLD = "3.5";
  private static final String NEW_MAJOR = "4";

  /** For messages. */
  static final String WANTED = "Spark 3.5 or 4";

  /**
   * What Spark needs opened on Java 17; executors get the same from Spark itself, the driver from
   * whoever starts it.
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
          "no Spark at "
              + directory
              + ": expected a directory with jars/; name a "
              + WANTED
              + " with --spark-home");
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
          "the Spark at "
              + directory
              + " is not "
              + WANTED
              + ": jars/ holds "
              + (cores.isEmpty() ? "no spark-core_*.jar" : String.join(", ", cores)));
    } catch (IOException e) {
      throw DemoException.failed("cannot list " + jars + ": " + e.getMessage(), e);
    }
  }

  /** Which of the plugin's jars is for it: {@code sluice-client-spark-CLIENT-*.jar}. */
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
   * Makes a directory that is this Spark to the processes started with it, so that what they write
   * beside the jars (the executors' work directories) does not go to the user's own installation.
   *
   * @return the environment to start a driver with
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
