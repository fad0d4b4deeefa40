package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.control.ExitCode;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ServiceRunnerTest {
  @TempDir Path dir;

  @Test
  @Timeout(60)
  void writesTheReadyFileOnceStartedAndRemovesItWhenStopped() throws Exception {
    Path ready = dir.resolve("ready");
    AtomicInteger stops = new AtomicInteger();
    ServiceRunner runner =
        new ServiceRunner(
            () -> {
              assertThat(ready).doesNotExist();
              return new Service(
                  "test", Map.of("rpc.port", 7, "http.port", 8), stops::incrementAndGet);
            },
            ready);
    CompletableFuture<Integer> code =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return runner.run();
              } catch (Exception failure) {
                throw new CompletionException(failure);
              }
            });
    while (!Files.exists(ready)) {
      assertThat(code).isNotDone();
      Thread.onSpinWait();
    }
    Properties seen = new Properties();
    try (Reader reader = Files.newBufferedReader(ready)) {
      seen.load(reader);
    }

    runner.stop();

    assertThat(code.get(30, TimeUnit.SECONDS)).isZero();
    assertThat(stops).hasValue(1);
    assertThat(dir).isEmptyDirectory();
    assertThat(seen)
        .containsEntry("pid", Long.toString(ProcessHandle.current().pid()))
        .containsEntry("rpc.port", "7")
        .containsEntry("http.port", "8")
        .hasSize(3);
  }

  @Test
  @Timeout(60)
  void decommissionedServiceStopsWithItsExitCode() throws Exception {
    AtomicInteger stops = new AtomicInteger();
    ServiceRunner runner =
        new ServiceRunner(
            () ->
                new Service(
                    "test",
                    Map.of("rpc.port", 7),
                    stops::incrementAndGet,
                    CompletableFuture.completedStage(null)),
            null);

    assertThat(runner.run()).isEqualTo(ExitCode.DECOMMISSIONED.status());
    assertThat(stops).hasValue(1);
  }

  @Test
  void stopsTheServiceIfTheReadyFileCannotBeWritten() {
    AtomicInteger stops = new AtomicInteger();
    Path impossible = dir.resolve("missing/ready");
    ServiceRunner runner =
        new ServiceRunner(
            () -> new Service("test", Map.of("rpc.port", 7), stops::incrementAndGet), impossible);

    assertThatThrownBy(runner::run)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("ready file " + impossible + " cannot be written");
    assertThat(stops).hasValue(1);
  }

  @Test
  void rethrowsTheExceptionOfAFailedStart() {
    ServiceRunner runner =
        new ServiceRunner(
            () -> {
              throw new IOException("port taken");
            },
            null);

    assertThatThrownBy(runner::run).isInstanceOf(IOException.class).hasMessage("port taken");
  }
}
