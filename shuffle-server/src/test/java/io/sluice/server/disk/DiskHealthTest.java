package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiskHealthTest {
  private static final HealthConfig CONFIG =
      new HealthConfig(
          3, 3, 6, 2, 60_000, 10, 100, new ProbeConfig(10_000, 2_000, 20_000, 3), 30_000, 60_000);
  private final IOException eio = new IOException("Input/output error");
  private final IOException readOnly = new IOException("/d/x: Read-only file system");
  private final IOException full = new IOException("No space left on device");
  private final IOException absent = new NoSuchFileException("/d");

  private final AtomicLong nanos = new AtomicLong(-5);
  private final DiskHealth health = new DiskHealth("/d", CONFIG, nanos::get);

  @Test
  void isSuspectAfterConsecutiveFailedWrites() {
    health.writeFailed(eio);
    health.writeFailed(eio);
    health.writeSucceeded(1, 1);
    health.writeFailed(eio);
    health.writeFailed(eio);
    expect(HealthState.HEALTHY, HealthCause.NONE);
    health.writeFailed(eio);
    expect(HealthState.SUSPECT, HealthCause.WRITE_ERRORS);
    health.writeSucceeded(1, 1);
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void aFullDiskStaysHealthy() {
    for (int i = 0; i < 10; i++) {
      health.writeFailed(full);
      health.probeNotWritten(full);
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void readOnlyRemountMakesItSuspectButNeverLost() {
    health.writeFailed(readOnly);
    expect(HealthState.SUSPECT, HealthCause.READ_ONLY);
    for (int i = 0; i < 100; i++) {
      pass(10_000);
      health.probeNotWritten(readOnly);
    }
    expect(HealthState.SUSPECT, HealthCause.READ_ONLY);
    goodProbes(3);
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void failedWritesNeverMakeItLost() {
    for (int i = 0; i < 100; i++) {
      pass(10_000);
      health.writeFailed(eio);
      health.probeNotWritten(eio);
      health.writeOverdue(1);
    }
    expect(HealthState.SUSPECT, HealthCause.PROBE_FAILED);
  }

  @Test
  void failedReadsOfOneApplicationOnlyMakeAProbeDue() {
    AtomicInteger signals = new AtomicInteger();
    health.onChange(signals::incrementAndGet);
    readFails("a", "1.run");
    readFails("a", "1.run");
    pass(60_000);
    readFails("a", "1.run");
    readFails("a", "2.run");
    assertThat(health.isCheckDue()).isFalse();
    assertThat(signals).hasValue(0);
    readFails("a", "2.run");
    assertThat(health.isCheckDue()).isTrue();
    assertThat(signals).as("once").hasValue(1);
    for (int i = 0; i < 100; i++) {
      readFails("a", "3.run");
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
    assertThat(signals).hasValue(1);

    goodProbes(1);
    expect(HealthState.HEALTHY, HealthCause.NONE);
    assertThat(health.takeFailedReads(2))
        .extracting(FailedRead::file)
        .containsExactly("1.run", "2.run");
    assertThat(health.isCheckDue()).as("one remains").isTrue();
    assertThat(health.takeFailedReads(2)).extracting(FailedRead::file).containsExactly("3.run");
    assertThat(health.isCheckDue()).isFalse();
    assertThat(health.takeFailedReads(2)).isEmpty();
  }

  @Test
  void failedReadsOfSeveralApplicationsMakeItSuspectButNotLostWhileProbesSucceed() {
    for (int i = 0; i < 100; i++) {
      readFails("a", "1.run");
      readFails("b", "2.run");
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
    goodProbes(10);
    expect(HealthState.SUSPECT, HealthCause.READ_ERRORS);
    for (int i = 0; i < 100; i++) {
      readFails("a", "1.run");
      readFails("b", "2.run");
    }
    expect(HealthState.SUSPECT, HealthCause.READ_ERRORS);
    goodProbes(10);
    expect(HealthState.SUSPECT, HealthCause.READ_ERRORS);
    pass(60_000);
    goodProbes(1);
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void continuingFailedReadsOfOneApplicationDoNotKeepADiskSuspect() {
    health.writeOverdue(1);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 30; j++) {
        readFails("a", "1.run");
      }
      goodProbes(1);
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void isLostWhenManyReadsAndAllProbesFail() {
    for (int i = 0; i < 6; i++) {
      readFails("a", "1.run");
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
    health.probeNotWritten(eio);
    expect(HealthState.LOST, HealthCause.READ_ERRORS);
    assertThat(health.takeFailedReads(10)).as("no reads to repeat").isEmpty();
  }

  @Test
  void readsThatFailedBeforeASuccessfulProbeDoNotMakeItLost() {
    for (int i = 0; i < 5; i++) {
      readFails("a", "1.run");
    }
    goodProbes(1);
    health.probeNotRead(eio);
    for (int i = 0; i < 5; i++) {
      readFails("a", "1.run");
    }
    expect(HealthState.SUSPECT, HealthCause.PROBE_FAILED);
    readFails("a", "1.run");
    expect(HealthState.LOST, HealthCause.READ_ERRORS);
  }

  @Test
  void failedProbesOfAFullOrReadOnlyDiskDoNotMakeItLost() {
    for (int i = 0; i < 30; i++) {
      readFails("a", "1.run");
    }
    health.probeNotWritten(full);
    expect(HealthState.HEALTHY, HealthCause.NONE);
    health.probeNotWritten(readOnly);
    readFails("a", "1.run");
    expect(HealthState.SUSPECT, HealthCause.READ_ONLY);
    assertThat(health.takeFailedReads(10)).hasSize(1);
  }

  @Test
  void lackOfMemoryOrDescriptorsIsNotADiskFault() {
    IOException descriptors = new IOException("/d/x: Too many open files");
    for (int i = 0; i < 30; i++) {
      health.readFailed(new FailedRead("a", "1.run", 0, 1), descriptors);
      health.readFailed(new FailedRead("b", "2.run", 0, 1), descriptors);
      health.writeFailed(descriptors);
      health.probeNotWritten(descriptors);
      health.probeNotRead(descriptors);
      health.directoryAbsent(descriptors);
      pass(2_000);
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
    assertThat(health.isCheckDue()).isFalse();
  }

  @Test
  void remembersABoundedNumberOfFiles() {
    for (int i = 0; i < 1_000; i++) {
      readFails("a", i + ".run");
    }
    assertThat(health.takeFailedReads(1_000)).hasSizeBetween(1, 100);
  }

  @Test
  void checksumErrorsMakeItSuspect() {
    health.checksumFailed("/d/runs/1.run", 17);
    expect(HealthState.HEALTHY, HealthCause.NONE);
    health.checksumFailed("/d/runs/1.run", 18);
    expect(HealthState.SUSPECT, HealthCause.CHECKSUM_ERRORS);
    goodProbes(3);
    expect(HealthState.SUSPECT, HealthCause.CHECKSUM_ERRORS);
    pass(60_000);
    goodProbes(1);
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void aFailureResetsTheCountOfSuccessfulProbes() {
    health.writeOverdue(1);
    goodProbes(2);
    health.writeFailed(eio);
    goodProbes(2);
    expect(HealthState.SUSPECT, HealthCause.HUNG);
    goodProbes(1);
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void staysSuspectWhileAWriteHangsEvenIfProbesSucceed() {
    for (int i = 0; i < 20; i++) {
      pass(1_000);
      health.writeOverdue(i);
      goodProbes(2);
      expect(HealthState.SUSPECT, HealthCause.HUNG);
    }
    health.writeSucceeded(1, 1);
    expect(HealthState.SUSPECT, HealthCause.HUNG);
    goodProbes(1);
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void isLostWhenProbesHangForTooLong() {
    health.probeOverdue(1);
    expect(HealthState.SUSPECT, HealthCause.HUNG);
    pass(29_999);
    health.probeOverdue(1);
    expect(HealthState.SUSPECT, HealthCause.HUNG);
    pass(1);
    health.probeOverdue(1);
    expect(HealthState.LOST, HealthCause.HUNG);
  }

  @Test
  void isNotLostWhileReadsSucceed() {
    for (int i = 0; i < 20; i++) {
      health.probeOverdue(1);
      pass(29_000);
      health.readSucceeded(1, 1);
    }
    expect(HealthState.SUSPECT, HealthCause.HUNG);
  }

  @Test
  void isLostWhenProbesCannotBeReadForTooLong() {
    health.probeNotRead(eio);
    expect(HealthState.SUSPECT, HealthCause.PROBE_FAILED);
    pass(30_000);
    health.probeNotRead(eio);
    expect(HealthState.LOST, HealthCause.PROBE_FAILED);
  }

  @Test
  void isLostWhenItsDirectoryStaysAbsent() {
    health.directoryAbsent(absent);
    expect(HealthState.SUSPECT, HealthCause.VANISHED);
    goodProbes(1);
    health.directoryAbsent(absent);
    expect(HealthState.SUSPECT, HealthCause.VANISHED);
    health.directoryAbsent(absent);
    expect(HealthState.LOST, HealthCause.VANISHED);
  }

  @Test
  void aLostDiskRecoversOnceEmptyAndAfterSuccessfulProbes() {
    lose();
    health.emptied();
    goodProbes(1);
    expect(HealthState.RECOVERING, HealthCause.VANISHED);
    goodProbes(10);
    expect(HealthState.RECOVERING, HealthCause.VANISHED);
    health.emptied();
    expect(HealthState.RECOVERING, HealthCause.VANISHED);
    goodProbes(1);
    expect(HealthState.HEALTHY, HealthCause.NONE);
    readFails("a", "1.run");
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void aRecoveringDiskThatFailsIsLostAgain() {
    List<Runnable> failures =
        List.of(
            () -> health.probeNotRead(eio),
            () -> health.probeNotWritten(eio),
            () -> health.probeNotWritten(readOnly),
            () -> health.directoryAbsent(absent),
            () -> health.probeOverdue(1));
    lose();
    for (Runnable failure : failures) {
      goodProbes(1);
      health.emptied();
      expect(HealthState.RECOVERING, HealthCause.VANISHED);
      failure.run();
      expect(HealthState.LOST, HealthCause.VANISHED);
    }
    goodProbes(5);
    expect(HealthState.RECOVERING, HealthCause.VANISHED);
  }

  @Test
  void isSuspectWhenItBecomesMuchSlower() {
    compareWithFastPeer();
    for (int i = 0; i < 50; i++) {
      health.writeSucceeded(1 << 20, ms(20));
    }
    for (int i = 0; i < 4; i++) {
      health.writeSucceeded(1 << 20, ms(300));
    }
    health.writeSucceeded(1 << 20, ms(20));
    for (int i = 0; i < 4; i++) {
      health.writeSucceeded(1 << 20, ms(300));
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
    health.writeSucceeded(1 << 20, ms(300));
    expect(HealthState.SUSPECT, HealthCause.SLOW);
  }

  @Test
  void isNeverSlowWithoutPeers() {
    for (int i = 0; i < 50; i++) {
      health.probeSucceeded(ms(1));
    }
    for (int i = 0; i < 10; i++) {
      health.probeSucceeded(ms(5_000));
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void measuresLargeWritesPerMebibyte() {
    compareWithFastPeer();
    for (int i = 0; i < 50; i++) {
      health.writeSucceeded(1 << 20, ms(20));
    }
    for (int i = 0; i < 20; i++) {
      health.writeSucceeded(100 << 20, ms(2_000));
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void isNotAnOutlierAmongEquallySlowPeers() {
    DiskHealth peer = new DiskHealth("/peer", CONFIG, nanos::get);
    health.compareWith(List.of(health, peer));
    for (int i = 0; i < 50; i++) {
      health.probeSucceeded(ms(20));
      peer.probeSucceeded(ms(20));
    }
    for (int i = 0; i < 20; i++) {
      peer.probeSucceeded(ms(250));
      health.probeSucceeded(ms(300));
    }
    expect(HealthState.HEALTHY, HealthCause.NONE);
    for (int i = 0; i < 5; i++) {
      peer.probeSucceeded(ms(20));
    }
    health.probeSucceeded(ms(300));
    expect(HealthState.SUSPECT, HealthCause.SLOW);
  }

  @Test
  void aDiskThatIsSlowFromTheStartIsDetectedByComparisonWithPeers() {
    DiskHealth peer = new DiskHealth("/peer", CONFIG, nanos::get);
    health.compareWith(List.of(health, peer));
    for (int i = 0; i < 5; i++) {
      peer.probeSucceeded(ms(10));
    }
    for (int i = 0; i < 5; i++) {
      health.probeSucceeded(ms(200));
    }
    expect(HealthState.SUSPECT, HealthCause.SLOW);
  }

  @Test
  void recoversWhenItsProbesAreFastAgain() {
    compareWithFastPeer();
    for (int i = 0; i < 50; i++) {
      health.probeSucceeded(ms(10));
    }
    for (int i = 0; i < 20; i++) {
      health.probeSucceeded(ms(500));
    }
    expect(HealthState.SUSPECT, HealthCause.SLOW);
    goodProbes(2);
    expect(HealthState.SUSPECT, HealthCause.SLOW);
    goodProbes(1);
    expect(HealthState.HEALTHY, HealthCause.NONE);
  }

  @Test
  void notifiesOncePerChange() {
    AtomicInteger changes = new AtomicInteger();
    health.onChange(changes::incrementAndGet);
    health.writeFailed(readOnly);
    health.writeFailed(readOnly);
    assertThat(changes).hasValue(1);
    goodProbes(5);
    assertThat(changes).hasValue(2);
  }

  /** Random reports: only permitted state changes happen, and the rules of each change are kept. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void makesOnlyPermittedStateChanges(long seed) {
    Map<HealthState, Set<HealthState>> seen = new EnumMap<>(HealthState.class);
    Random random = new Random(seed);
    List<Runnable> reports = new ArrayList<>();
    reports.add(() -> health.writeSucceeded(random.nextInt(1 << 24), ms(random.nextInt(400))));
    reports.add(() -> health.readSucceeded(random.nextInt(1 << 24), ms(random.nextInt(400))));
    reports.add(() -> health.probeSucceeded(ms(random.nextInt(50))));
    reports.add(() -> health.probeSucceeded(ms(5)));
    reports.add(() -> health.writeFailed(eio));
    reports.add(() -> health.writeFailed(readOnly));
    reports.add(() -> health.writeFailed(full));
    reports.add(() -> readFails("a", "1.run"));
    reports.add(() -> readFails("b", "2.run"));
    reports.add(() -> health.takeFailedReads(1));
    reports.add(() -> health.checksumFailed("f", 1));
    reports.add(() -> health.writeOverdue(1));
    reports.add(() -> health.readOverdue(1));
    reports.add(() -> health.probeOverdue(1));
    reports.add(() -> health.probeNotRead(eio));
    reports.add(() -> health.probeNotWritten(eio));
    reports.add(() -> health.directoryAbsent(absent));
    reports.add(health::emptied);
    for (int step = 0; step < 20_000; step++) {
      HealthState before = health.state();
      // Alternates good and bad periods: a disk recovers after many successful probes.
      boolean good = step / 40 % 2 == 0 && random.nextInt(8) > 0;
      int report = good ? 3 : random.nextInt(reports.size());
      reports.get(report).run();
      pass(random.nextInt(5_000));
      HealthState after = health.state();
      if (before != after) {
        assertThat(before.canMoveTo(after)).as("%s to %s", before, after).isTrue();
        seen.computeIfAbsent(before, unused -> EnumSet.noneOf(HealthState.class)).add(after);
      }
      assertThat(health.cause() == HealthCause.NONE).isEqualTo(after == HealthState.HEALTHY);
      if (after == HealthState.RECOVERING && step % 3 == 0) {
        health.emptied();
      }
    }
    assertThat(seen.get(HealthState.SUSPECT))
        .containsExactlyInAnyOrder(HealthState.HEALTHY, HealthState.LOST);
    assertThat(seen.get(HealthState.RECOVERING))
        .containsExactlyInAnyOrder(HealthState.HEALTHY, HealthState.LOST);
  }

  private void compareWithFastPeer() {
    DiskHealth peer = new DiskHealth("/peer", CONFIG, nanos::get);
    health.compareWith(List.of(peer));
    for (int i = 0; i < 5; i++) {
      peer.writeSucceeded(1, ms(20));
      peer.probeSucceeded(ms(20));
    }
  }

  private void lose() {
    health.directoryAbsent(absent);
    health.directoryAbsent(absent);
    expect(HealthState.LOST, HealthCause.VANISHED);
  }

  private void readFails(String application, String file) {
    health.readFailed(new FailedRead(application, file, 0, 1), eio);
  }

  private void goodProbes(int count) {
    for (int i = 0; i < count; i++) {
      health.probeSucceeded(1);
    }
  }

  private void expect(HealthState state, HealthCause cause) {
    assertThat(health.state()).isEqualTo(state);
    assertThat(health.cause()).isEqualTo(cause);
  }

  private void pass(long ms) {
    nanos.addAndGet(ms(ms));
  }

  private static long ms(long ms) {
    return TimeUnit.MILLISECONDS.toNanos(ms);
  }
}
