import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;
import static org.junit.platform.launcher.TagFilter.excludeTags;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the tests of one module many times in one JVM. Started by {@code .ci/repeat} and {@code
 * .ci/bugs} as a source file: {@code RepeatTests MODULE TEST-CLASSES NAMES RUNS ROWS}, where NAMES is
 * a regular expression of class names. With 0 as RUNS, the tests run once, until the first one
 * fails. Each run adds the line {@code MODULE SECONDS TESTS FAILED NAMES} to the file ROWS; stack
 * traces of failures go to standard output.
 */
final class RepeatTests {
  public static void main(String[] arguments) throws IOException {
    String module = arguments[0];
    Path classes = Path.of(arguments[1]);
    String names = arguments[2];
    int runs = Integer.parseInt(arguments[3]);
    Path rows = Path.of(arguments[4]);
    if (!Files.isDirectory(classes)) {
      return;
    }
    LauncherDiscoveryRequest tests =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClasspathRoots(Set.of(classes)))
            .filters(includeClassNamePatterns(names), excludeTags("nightly"))
            .build();
    for (int run = 1; run <= Math.max(1, runs); run++) {
      SummaryGeneratingListener listener = new SummaryGeneratingListener();
      CancellationToken end = CancellationToken.create();
      TestExecutionListener ending =
          new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
              if (runs == 0 && result.getStatus() == TestExecutionResult.Status.FAILED) {
                end.cancel();
              }
            }
          };
      LauncherFactory.create()
          .execute(
              LauncherExecutionRequestBuilder.request(tests)
                  .listeners(listener, ending)
                  .cancellationToken(end)
                  .build());
      TestExecutionSummary summary = listener.getSummary();
      List<TestExecutionSummary.Failure> failures = summary.getFailures();
      if (summary.getTestsStartedCount() == 0) {
        break;
      }
      if (!failures.isEmpty()) {
        System.out.println("Failures of run " + run + " of " + module);
        failures.forEach(failure -> print(failure));
      }
      String failed = failures.stream().map(RepeatTests::name).collect(Collectors.joining(","));
      double seconds = (summary.getTimeFinished() - summary.getTimeStarted()) / 1000.0;
      String row =
          String.format(
              Locale.ROOT,
              "%s %.1f %d %d %s%n",
              module,
              seconds,
              summary.getTestsStartedCount(),
              failures.size(),
              failed.isEmpty() ? "-" : failed);
      Files.writeString(rows, row, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    System.exit(0);
  }

  private static void print(TestExecutionSummary.Failure failure) {
    System.out.println(name(failure));
    failure.getException().printStackTrace(System.out);
  }

  private static String name(TestExecutionSummary.Failure failure) {
    // Such as [engine:junit-jupiter]/[class:io.sluice.A]/[method:b()]
    String id = failure.getTestIdentifier().getUniqueId();
    return id.replaceAll(".*?\\[class:[^]]*?(\\w+)\\]", "$1")
        .replaceAll("/\\[\\S+?:([^]]*)\\]", ".$1")
        .replaceAll("[ |,]", "_");
  }
}
