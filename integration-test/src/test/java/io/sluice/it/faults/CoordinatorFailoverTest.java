package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.common.test.TestEffort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Measures the time from a fault of the leader to the first successful call of a running
 * application, and to the first application that starts: a write to the log of the coordinators.
 * Both call at once when the fault begins. The table is appended to {@code
 * target/failover-times.md}.
 */
@Tag("nightly")
class CoordinatorFailoverTest {
  private static final List<CoordinatorFault> FAULTS =
      List.of(
          CoordinatorFault.LEADER_KILLED,
          CoordinatorFault.LEADER_SUSPENDED,
          CoordinatorFault.LEADER_CUT_OFF,
          CoordinatorFault.LEADER_ISOLATED,
          CoordinatorFault.LEADER_DISK_FULL);

  /** Milliseconds from a fault. */
  private record Times(List<Long> shuffle, List<Long> start) {
    Times() {
      this(new ArrayList<>(), new ArrayList<>());
    }
  }

  private interface Calls {
    /** Returns the number of refused calls before the successful one. */
    int untilSuccess();
  }

  @TempDir Path directory;
  private final ExecutorService callers = Executors.newCachedThreadPool();
  private int refusedStarts;

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  @Timeout(7200)
  void anotherCoordinatorTakesOver(int coordinators) throws Exception {
    StringBuilder table = new StringBuilder();
    try (LinkedCluster cluster = new LinkedCluster(directory.resolve("cluster"), coordinators)) {
      CoordinatorFaults injector = cluster.faults();
      DriverCalls driver = cluster.driver();
      for (CoordinatorFault fault : FAULTS) {
        Times times = new Times();
        refusedStarts = 0;
        for (int run = 0; run < TestEffort.times(2); run++) {
          injector.mend();
          assertThat(driver.registerShuffle()).isInstanceOf(Assigned.class);
          measure(fault, injector, driver, times);
        }
        table.append(row(coordinators, fault, times));
      }
      injector.mend();
    } finally {
      callers.shutdownNow();
    }
    System.out.print(table);
    Files.writeString(
        Path.of("target", "failover-times.md"),
        table,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private void measure(
      CoordinatorFault fault, CoordinatorFaults injector, DriverCalls driver, Times times)
      throws IOException, InterruptedException, ExecutionException {
    long begun = System.nanoTime();
    fault.inject(injector);
    Future<Long> shuffle =
        callers.submit(
            since(
                begun,
                () -> {
                  assertThat(driver.registerShuffle()).isInstanceOf(Assigned.class);
                  return 0;
                }));
    Future<Long> start = callers.submit(since(begun, driver::startApplication));
    times.shuffle.add(shuffle.get());
    times.start.add(start.get());
  }

  private Callable<Long> since(long begun, Calls calls) {
    return () -> {
      int refused = calls.untilSuccess();
      long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
      synchronized (this) {
        refusedStarts += refused;
      }
      return ms;
    };
  }

  private String row(int coordinators, CoordinatorFault fault, Times times) {
    return String.format(
        "| %d | %s | %d | %s | %s | %d |%n",
        coordinators,
        fault,
        times.start.size(),
        medianAndWorst(times.shuffle),
        medianAndWorst(times.start),
        refusedStarts);
  }

  private static String medianAndWorst(List<Long> times) {
    List<Long> sorted = new ArrayList<>(times);
    Collections.sort(sorted);
    return sorted.get(sorted.size() / 2) + " | " + sorted.get(sorted.size() - 1);
  }
}
