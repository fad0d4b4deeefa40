package io.sluice.benchmark.examples;

import io.sluice.common.docs.Checkout;
import io.sluice.common.docs.Example;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Paths of the checkout and of the distribution that an example names. */
final class CheckoutPaths {
  private static final String VERSION = "(?:<version>|0\\.1\\.0-SNAPSHOT)";

  /** Relative, or below the directory of an installation. */
  private static final Pattern PATH =
      Pattern.compile(
          "(?<![\\w./<>$~{}-])(?:\\./|/opt/sluice/)?"
              + "((?:bin|conf|clients|lib|demo|deploy|dist|docs|integration-test|\\.ci)"
              + "/[\\w./<>+-]*[\\w>])");

  /** A client jar, in whichever directory. */
  private static final Pattern ANY_JAR = Pattern.compile("sluice-[\\w.<>-]+\\.jar");

  private static final Pattern JAR = Pattern.compile("(sluice-[\\w.-]+?)-" + VERSION + "\\.jar");

  private static final Pattern PACKAGE =
      Pattern.compile("dist/target/sluice(-" + VERSION + "\\.tar\\.gz|_" + VERSION + "_all\\.deb)");

  private CheckoutPaths() {}

  static List<String> in(Example example) {
    return in(example.text());
  }

  static List<String> in(String text) {
    return Stream.of(PATH, ANY_JAR)
        .flatMap(pattern -> pattern.matcher(text).results())
        .map(CheckoutPaths::found)
        .distinct()
        .toList();
  }

  private static String found(MatchResult match) {
    return match.group().startsWith("sluice-") ? match.group() : match.group(1);
  }

  /** Whether the checkout has the path, or the distribution that it builds. */
  static boolean exists(String path) {
    if (path.endsWith(".jar")) {
      return isShippedJar(path);
    }
    return path.equals("bin/sluice")
        || PACKAGE.matcher(path).matches()
        || (!path.startsWith("dist/target/") && Files.exists(Checkout.root().resolve(path)));
  }

  /** The artifacts that {@code dist/pom.xml} copies into {@code clients}. */
  private static boolean isShippedJar(String path) {
    Matcher jar = JAR.matcher(path.substring(path.lastIndexOf('/') + 1));
    String clients =
        Checkout.lines("dist/pom.xml").stream()
            .filter(line -> line.contains("<client.artifacts>"))
            .findFirst()
            .orElseThrow()
            .replaceAll("</?client.artifacts>", "")
            .strip();
    return jar.matches() && List.of(clients.split(",")).contains(jar.group(1));
  }
}
