package io.sluice.it.examples;

import io.sluice.common.docs.Checkout;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The commands of CI, for examples that take minutes.
 *
 * <p>CI executes a command of an example if {@code .ci/run} or {@code .ci/nightly} has the same
 * command outside of comments. In CI it may have further arguments at its end, such as a smaller
 * scale, and the options {@code -B -ntp} of Maven.
 */
final class CiCommands {
  private static final List<String> SCRIPTS = List.of(".ci/run", ".ci/nightly");

  /** Programs that build, start clusters or measure. */
  private static final Pattern SLOW =
      Pattern.compile(
          "(mvn|\\./sluice (build|demo|bench)|\\.ci/|deploy/(check|exercise|sbom|helm|prometheus))\\b.*");

  private CiCommands() {}

  static boolean isSlow(String command) {
    return SLOW.matcher(command).matches();
  }

  static boolean has(String command) {
    return SCRIPTS.stream().anyMatch(script -> isIn(Checkout.lines(script), command));
  }

  static boolean isIn(List<String> script, String command) {
    Pattern same = Pattern.compile("(?:^|[{;&|!] *)" + Pattern.quote(command) + "(?=[ ;]|$)");
    return script.stream()
        .map(line -> line.strip().replace(" -B -ntp", ""))
        .filter(line -> !line.startsWith("#"))
        .anyMatch(line -> same.matcher(line).find());
  }
}
