package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.common.run.DamagedBlock;
import io.sluice.common.run.RunFormatException;
import io.sluice.common.run.RunHeader;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.common.run.RunWriter;
import io.sluice.server.log.BlockBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskScrubberTest {
  private static final long INTERVAL_MS = 60_000;
  private static final int BYTES_PER_SECOND = 4 << 20;

  @TempDir Path directory;

  private final FakeDisk disk = new FakeDisk();
  private final ScrubCounters counters = new ScrubCounters();
  private final Random random = new Random(20261121);
  private long nowNanos = 12_345;
  private boolean stopped;
  private final DiskScrubber<FakeRunFile> scrubber =
      new DiskScrubber<>(
          disk,
          new ScrubConfig(BYTES_PER_SECOND, INTERVAL_MS),
          counters,
          () -> nowNanos,
          0,
          millis -> {
            passMs(millis);
            return !stopped;
          });

  @Test
  void verifiesEveryRunOnceInAnInterval() throws IOException {
    FakeRunFile first = addRun(3);
    addRun(3);
    scrubber.pass();
    assertThat(counters.verifiedRuns()).as("new file").isZero();
    passMs(INTERVAL_MS);
    scrubber.pass();
    assertThat(counters.verifiedRuns()).isEqualTo(2);
    scrubber.pass();
    assertThat(counters.verifiedRuns()).isEqualTo(2);
    disk.runs.remove(first);
    passMs(INTERVAL_MS);
    scrubber.pass();
    assertThat(counters.verifiedRuns()).isEqualTo(3);
    assertThat(disk.opened)
        .allSatisfy(run -> assertThat(run.closedCount).isEqualTo(run.channels.size()));
  }

  @Test
  void verifiesTheLeastRecentlyVerifiedRunFirst() throws IOException {
    FakeRunFile old = addRun(1);
    scrubber.pass();
    passMs(INTERVAL_MS / 2);
    FakeRunFile middle = addRun(1);
    scrubber.pass();
    disk.runs.remove(old);
    disk.runs.add(old);
    passMs(INTERVAL_MS);
    scrubber.pass();
    assertThat(disk.opened).containsExactly(old, middle);
    passMs(1_000);
    FakeRunFile young = addRun(1);
    disk.runs.remove(young);
    disk.runs.add(0, young);
    scrubber.pass();
    passMs(INTERVAL_MS);
    scrubber.pass();
    assertThat(disk.opened).containsExactly(old, middle, old, middle, young);
  }

  @Test
  void damageIsReportedWithFileOffsetPartitionAndAttempt() throws IOException {
    FakeRunFile run = addRun(3);
    FakeRunFile sound = addRun(3);
    long at = run.blockOffsets.get(1) + 100;
    flip(run, at);
    scrubber.pass();
    passMs(INTERVAL_MS);
    scrubber.pass();
    assertThat(disk.damaged).containsExactly(run);
    assertThat(disk.where.get(0).offset()).isEqualTo(run.blockOffsets.get(1));
    assertThat(disk.where.get(0))
        .hasMessageContaining(run.file())
        .hasMessageContaining("offset=" + run.blockOffsets.get(1))
        .hasMessageContaining("partition 1 attempt 101 map 1 sequence 0");
    assertThat(counters.damagedRuns()).isEqualTo(1);
    assertThat(counters.verifiedRuns()).as("continues with %s", sound.file()).isEqualTo(1);
  }

  @Test
  void everyDamagedBlockIsReportedOnce() throws IOException {
    FakeRunFile run = addRun(5);
    flip(run, run.blockOffsets.get(0) + 100);
    flip(run, run.blockOffsets.get(3) + 100);
    scrubber.pass();
    passMs(INTERVAL_MS);
    scrubber.pass();
    assertThat(disk.where)
        .extracting(RunFormatException::offset)
        .containsExactly(run.blockOffsets.get(0), run.blockOffsets.get(3));
    run.known.addAll(List.of(run.blockOffsets.get(0), run.blockOffsets.get(3)));
    flip(run, run.blockOffsets.get(4) + 100);
    passMs(INTERVAL_MS);
    scrubber.pass();
    assertThat(disk.where).hasSize(3);
    assertThat(disk.where.get(2).offset()).isEqualTo(run.blockOffsets.get(4));
    assertThat(counters.damagedRuns()).isEqualTo(2);
  }

  @Test
  void findsEveryFlippedByte() throws IOException {
    FakeRunFile run = addRun(4);
    long length = Files.size(run.path);
    for (int i = 0; i < 60; i++) {
      long at = i < 4 ? i : i < 8 ? length - i : random.nextLong(length);
      flip(run, at);
      disk.damaged.clear();
      scrubber.pass();
      passMs(INTERVAL_MS);
      scrubber.pass();
      assertThat(disk.damaged).as("byte %d of %d", at, length).containsExactly(run);
      assertThat(disk.where.get(disk.where.size() - 1).offset()).isLessThanOrEqualTo(at);
      flip(run, at);
    }
    passMs(INTERVAL_MS);
    scrubber.pass();
    assertThat(counters.verifiedRuns()).isEqualTo(1);
  }

  @Test
  void respectsTheRateLimit() throws IOException {
    addRun(40);
    addRun(40);
    scrubber.pass();
    passMs(INTERVAL_MS);
    long before = nowNanos;
    scrubber.pass();
    assertThat(counters.verifiedRuns()).isEqualTo(2);
    double seconds = (double) (nowNanos - before) / TimeUnit.SECONDS.toNanos(1);
    // The last window needs no wait after it.
    assertThat(counters.readBytes() - 2.0 * RateLimitedChannel.WINDOW_BYTES)
        .isLessThanOrEqualTo(seconds * BYTES_PER_SECOND);
    assertThat(counters.readBytes())
        .as("little more than the files: each byte is read about once")
        .isLessThan(2 * disk.bytes() + 8L * RateLimitedChannel.WINDOW_BYTES);
  }

  @Test
  void pausesWhileTheDiskIsBusy() throws IOException {
    addRun(1);
    scrubber.pass();
    passMs(INTERVAL_MS);
    disk.busyAsks = 7;
    long before = nowNanos;
    scrubber.pass();
    assertThat(disk.busyAsks).isZero();
    assertThat(TimeUnit.NANOSECONDS.toMillis(nowNanos - before)).isGreaterThanOrEqualTo(7 * 50);
    assertThat(counters.verifiedRuns()).isEqualTo(1);
  }

  @Test
  void cancelsWhenStoppedOrWhenTheRunIsNotNeeded() throws IOException {
    FakeRunFile run = addRun(30);
    scrubber.pass();
    passMs(INTERVAL_MS);
    run.neededAsks = 2;
    scrubber.pass();
    assertThat(counters.verifiedRuns() + counters.unreadableRuns()).isZero();
    assertThat(counters.readBytes()).isLessThanOrEqualTo(2L * RateLimitedChannel.WINDOW_BYTES);
    run.neededAsks = Integer.MAX_VALUE;
    passMs(INTERVAL_MS);
    stopped = true;
    scrubber.pass();
    assertThat(counters.verifiedRuns() + counters.unreadableRuns()).isZero();
    assertThat(run.channels).isNotEmpty().noneMatch(FileChannel::isOpen);
  }

  @Test
  void unreadableRunIsReportedAndRetried() throws IOException {
    FakeRunFile run = addRun(1);
    scrubber.pass();
    passMs(INTERVAL_MS);
    run.problem = new IOException("Input/output error");
    scrubber.pass();
    assertThat(disk.unreadable).containsExactly(run);
    assertThat(disk.damaged).isEmpty();
    run.problem = null;
    passMs(INTERVAL_MS);
    scrubber.pass();
    assertThat(counters.verifiedRuns()).isEqualTo(1);
  }

  @Test
  void itsThreadVerifiesAndEnds() throws Exception {
    FakeRunFile run = addRun(2);
    flip(run, run.blockOffsets.get(0) + 50);
    DiskScrubber<FakeRunFile> running =
        new DiskScrubber<>(disk, new ScrubConfig(1 << 30, 1), counters, System::nanoTime, 0);
    running.start();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (counters.damagedRuns() == 0) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
    running.close();
    running.close();
    long damaged = counters.damagedRuns();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().equals("scrub-disk-0"));
    assertThat(counters.damagedRuns()).isEqualTo(damaged);
  }

  private void passMs(long millis) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** One block of some 100 KiB in each of the given number of partitions. */
  private FakeRunFile addRun(int partitions) throws IOException {
    RunId id = RunId.random(random::nextLong);
    Path path = directory.resolve(id + ".run");
    List<Long> offsets = new ArrayList<>();
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      RunWriter writer = new RunWriter(channel, new RunHeader(id, new RunOrder(1, 0), "app", 1));
      for (int partition = 0; partition < partitions; partition++) {
        ByteArrayOutputStream blocks = new ByteArrayOutputStream();
        blocks.write(
            BlockBytes.block(
                100 + partition,
                partition,
                partition,
                0,
                true,
                BlockBytes.payload(random, 100_000)));
        offsets.add(
            writer.writePartition(
                partition, 0, List.of(Unpooled.wrappedBuffer(blocks.toByteArray()))));
      }
      writer.finish();
    }
    FakeRunFile run = new FakeRunFile(path, offsets);
    disk.runs.add(run);
    return run;
  }

  private static void flip(FakeRunFile run, long at) throws IOException {
    try (FileChannel channel =
        FileChannel.open(run.path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, at);
      one.flip();
      one.put(0, (byte) (one.get(0) ^ 0x10));
      channel.write(one, at);
    }
  }

  private final class FakeRunFile implements ScrubbedRun {
    final Path path;
    final List<Long> blockOffsets;
    final List<FileChannel> channels = new ArrayList<>();
    final Set<Long> known = new HashSet<>();
    int closedCount;
    int neededAsks = Integer.MAX_VALUE;
    IOException problem;

    FakeRunFile(Path path, List<Long> blockOffsets) {
      this.path = path;
      this.blockOffsets = blockOffsets;
    }

    @Override
    public String file() {
      return path.toString();
    }

    @Override
    public boolean isNeeded() {
      return neededAsks-- > 0;
    }

    @Override
    public boolean isDamagedAt(long fileOffset) {
      return known.contains(fileOffset);
    }

    @Override
    public FileChannel open() throws IOException {
      if (problem != null) {
        throw problem;
      }
      disk.opened.add(this);
      FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
      channels.add(channel);
      return channel;
    }

    @Override
    public void closed() {
      closedCount++;
      assertThat(channels.get(channels.size() - 1).isOpen()).isFalse();
    }
  }

  private static final class FakeDisk implements ScrubbedDisk<FakeRunFile> {
    final List<FakeRunFile> runs = new ArrayList<>();
    final List<FakeRunFile> opened = new ArrayList<>();
    final List<FakeRunFile> damaged = new ArrayList<>();
    final List<RunFormatException> where = new ArrayList<>();
    final List<FakeRunFile> unreadable = new ArrayList<>();
    int busyAsks;

    long bytes() {
      return runs.stream().mapToLong(run -> run.path.toFile().length()).sum();
    }

    @Override
    public String name() {
      return "disk";
    }

    @Override
    public boolean isBusy() {
      return busyAsks > 0 && busyAsks-- > 0;
    }

    @Override
    public List<FakeRunFile> runs() {
      return List.copyOf(runs);
    }

    @Override
    public void damaged(FakeRunFile run, RunFormatException problem) {
      damaged.add(run);
      where.add(problem);
    }

    @Override
    public void damaged(FakeRunFile run, List<DamagedBlock> blocks) {
      damaged.add(run);
      blocks.forEach(block -> where.add(block.problem()));
    }

    @Override
    public void unreadable(FakeRunFile run, IOException problem) {
      unreadable.add(run);
    }
  }
}
