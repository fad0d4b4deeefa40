package io.sluice.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.disk.StorageKind;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReadSharesTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int MIB = 1 << 20;

  private final ReadShares shares = new ReadShares(StorageKind.SSD);
  private long now = SECOND;

  /** Starts a read, and ends it after a time. */
  private void read(String application, long bytes, long nanos) {
    shares.started(application, bytes, now);
    now += nanos;
    shares.ended(application, bytes, bytes, now);
  }

  /** Number of reads that an application may have in progress. */
  private int readsInProgress(String application, long bytes) {
    int count = 0;
    while (count < 100 && shares.mayStart(application, bytes, now)) {
      shares.started(application, bytes, now);
      count++;
    }
    return count;
  }

  @Test
  void anApplicationThatReadsAloneHasNoLimit() {
    assertThat(readsInProgress("a", MIB)).isEqualTo(100);
  }

  @Test
  void besideAnotherApplicationOneReadIsAlwaysAllowed() {
    read("a", MIB, 1);
    assertThat(readsInProgress("b", 100 * MIB)).isEqualTo(1);
    assertThat(readsInProgress("a", 100 * MIB)).isEqualTo(1);
  }

  @Test
  void applicationsShareTheBytesOfFiveMilliseconds() {
    // 1 GiB per second: 5 ms are 5.1 MiB.
    read("a", 100 * MIB, SECOND * 100 / 1024);
    assertThat(readsInProgress("b", MIB / 4)).isEqualTo(10);
    assertThat(readsInProgress("a", MIB / 4)).isEqualTo(10);
  }

  @Test
  void followsTheBandwidth() {
    read("b", MIB, 1);
    read("a", 100 * MIB, SECOND * 100 / 1024);
    for (int i = 0; i < 10; i++) {
      // 100 MiB per second: 5 ms are half a MiB.
      read("a", 10 * MIB, SECOND / 10);
    }
    assertThat(readsInProgress("a", MIB / 8)).isEqualTo(2);
  }

  @Test
  void aReaderThatHasEndedCountsForSomeSeconds() {
    read("a", MIB, 1);
    now += ReadShares.ACTIVE_NANOS;
    assertThat(readsInProgress("b", MIB)).isEqualTo(1);
    now += 1;
    // The last end of a read is long ago; a new start begins the time anew.
    shares.ended("b", MIB, MIB, now);
    assertThat(readsInProgress("b", MIB)).isEqualTo(100);
  }

  @Test
  void nothingIsLimitedWhileNoReadEnds() {
    read("a", MIB, 1);
    assertThat(readsInProgress("b", MIB)).isEqualTo(1);
    now += ReadShares.HANGING_NANOS;
    assertThat(shares.mayStart("b", MIB, now)).isFalse();
    now += 1;
    assertThat(shares.mayStart("b", MIB, now)).isTrue();
  }

  @Test
  void remoteStorageHasNoLimit() {
    ReadShares remote = new ReadShares(StorageKind.REMOTE);
    remote.started("a", MIB, now);
    remote.started("b", MIB, now);
    assertThat(remote.mayStart("b", MIB, now)).isTrue();
  }
}
