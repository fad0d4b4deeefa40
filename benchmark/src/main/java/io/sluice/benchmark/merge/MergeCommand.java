package io.sluice.benchmark.merge;

import io.sluice.cli.bench.ResultOptions;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.config.DataSize;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.DirectoryStorage;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.Storage;
import io.sluice.server.disk.StorageKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice bench merge}. */
@Command(
    name = "merge",
    description =
        "Write one shuffle as many small runs, merge them with several policies, read all "
            + "data, and count read requests; on an emulated disk, or on files with --directory.")
public final class MergeCommand implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long SEED = 20_261_121;

  @Spec private CommandSpec spec;
  @Mixin private ResultOptions results;

  @Option(
      names = "--maps",
      paramLabel = "N",
      description = "Number of map tasks; default ${DEFAULT-VALUE}.")
  private int maps = 1000;

  @Option(
      names = "--reduces",
      paramLabel = "N",
      description = "Number of reduce partitions; default ${DEFAULT-VALUE}.")
  private int reduces = 1000;

  @Option(
      names = "--scale",
      paramLabel = "SHARE",
      description = "Share of --reduces to use, for a smaller benchmark; default ${DEFAULT-VALUE}.")
  private double scale = 1;

  @Option(
      names = "--min-block",
      paramLabel = "SIZE",
      description = "Minimum block size; default 10KiB.")
  private DataSize minBlock = DataSize.ofKib(10);

  @Option(
      names = "--max-block",
      paramLabel = "SIZE",
      description = "Maximum block size; default 150KiB.")
  private DataSize maxBlock = DataSize.ofKib(150);

  @Option(
      names = "--maps-per-run",
      paramLabel = "N",
      description = "Number of map outputs in one run; default ${DEFAULT-VALUE}.")
  private int mapsPerRun = 1;

  @Option(
      names = "--slice",
      paramLabel = "SIZE",
      description = "Slice size of a reader; default 1MiB.")
  private DataSize slice = DataSize.ofMib(1);

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description = "Merge memory, as rss.server.merge.memory; default 128MiB.")
  private DataSize memory = DataSize.ofMib(128);

  @Option(
      names = "--policies",
      paramLabel = "POLICY",
      split = ",",
      description =
          "Merge policies to compare with the first one: none, fan-in:N, blocks:SIZE. With "
              + "the suffix @90%%, reading starts when 90 %% of the runs are merged.")
  private List<String> policies =
      List.of(
          "none",
          "fan-in:5",
          "fan-in:10",
          "fan-in:20",
          "fan-in:40",
          "fan-in:40@95%",
          "fan-in:40@90%",
          "fan-in:40@75%",
          "blocks:512k",
          "blocks:1m",
          "blocks:2m",
          "blocks:4m");

  @Option(
      names = "--seek-ms",
      paramLabel = "MS",
      description = "Seek time of the emulated disk; default ${DEFAULT-VALUE}.")
  private double seekMs = 10;

  @Option(
      names = "--bandwidth",
      paramLabel = "MB/S",
      description = "Bandwidth of the emulated disk; 1 MB = 10^6 bytes. Default ${DEFAULT-VALUE}.")
  private double megabytesPerSecond = 200;

  @Option(
      names = "--readers",
      paramLabel = "N",
      description = "Number of concurrent readers on the emulated disk; default ${DEFAULT-VALUE}.")
  private int readers = 8;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description =
          "New directory for real files instead of the emulated disk; choose --scale to "
              + "fit its disk.")
  private Path directory;

  @Override
  public Integer call() throws IOException {
    check();
    List<MergeCase> cases = cases();
    MergeLayout layout =
        new MergeLayout(
                maps,
                reduces,
                Math.toIntExact(minBlock.bytes()),
                Math.toIntExact(maxBlock.bytes()),
                SEED)
            .scaled(scale);
    List<MergeRow> rows = directory == null ? emulated(layout, cases) : real(layout, cases);
    results.publish(List.of(MergeTable.of(rows, directory != null, readers)), List.of());
    return 0;
  }

  private void check() {
    if (maps < 1 || reduces < 1 || scale <= 0 || scale > 1 || mapsPerRun < 1 || readers < 1) {
      throw wrong(
          "expected --maps, --reduces, --maps-per-run and --readers of at least 1, and "
              + "--scale above 0 and up to 1");
    }
    if (minBlock.bytes() <= BlockHeader.LENGTH || maxBlock.bytes() < minBlock.bytes()) {
      throw wrong(
          "expected --min-block above "
              + BlockHeader.LENGTH
              + " bytes, and --max-block of at least --min-block");
    }
    if (maxBlock.bytes() > 1 << 30 || slice.bytes() < 1 || slice.bytes() > 1 << 30) {
      throw wrong("expected --max-block and --slice of at most 1GiB, and --slice of at least 1");
    }
    if (memory.bytes() < 4 << 20 || seekMs < 0 || megabytesPerSecond <= 0) {
      throw wrong(
          "expected --memory of at least 4MiB, --seek-ms of at least 0 and --bandwidth above 0");
    }
  }

  private ParameterException wrong(String problem) {
    return new ParameterException(spec.commandLine(), problem);
  }

  private List<MergeCase> cases() {
    try {
      return policies.stream().map(MergeCase::parse).toList();
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  /** Writes the runs once; each case starts with a copy of the disk. */
  private List<MergeRow> emulated(MergeLayout layout, List<MergeCase> cases) throws IOException {
    EmulatedDisk written = new EmulatedDisk(model());
    // Not closed, because closing would delete files that the copies share.
    shuffle(layout, written).write(mapsPerRun, () -> {});
    List<MergeRow> rows = new ArrayList<>();
    for (MergeCase one : cases) {
      DiskModel model = model();
      try (MergeShuffle shuffle = shuffle(layout, written.copy(model))) {
        shuffle.restore();
        model.reset();
        merge(shuffle, one);
        double mergeSeconds = model.seconds();
        model.reset();
        ReadRequests requests = shuffle.read((int) slice.bytes());
        double readSeconds = model.seconds();
        DiskModel crowd = model();
        requests.replay(crowd, readers);
        rows.add(
            row(one, shuffle, requests.count(), 0, readSeconds, crowd.seconds(), mergeSeconds));
        if (model.requests() != requests.count()) {
          throw new IOException(
              "wrong number of requests: reader=" + requests.count() + " disk=" + model.requests());
        }
      }
      report(one.text());
    }
    return rows;
  }

  private List<MergeRow> real(MergeLayout layout, List<MergeCase> cases) throws IOException {
    Files.createDirectories(directory);
    List<MergeRow> rows = new ArrayList<>();
    for (MergeCase one : cases) {
      DirectoryStorage storage =
          DirectoryStorage.open(
              new DirectoryConfig(directory, Optional.of(StorageKind.HDD), 0, 1),
              Fsync.NEVER,
              "bench merge");
      try (MergeShuffle shuffle = shuffle(layout, storage)) {
        shuffle.write(mapsPerRun, () -> {});
        long mergeBegin = System.nanoTime();
        merge(shuffle, one);
        double mergeSeconds = (System.nanoTime() - mergeBegin) / NANOS_PER_SECOND;
        long kernelBegin = KernelReads.now();
        long readBegin = System.nanoTime();
        ReadRequests requests = shuffle.read((int) slice.bytes());
        double readSeconds = (System.nanoTime() - readBegin) / NANOS_PER_SECOND;
        long kernelReads = KernelReads.now() - kernelBegin;
        rows.add(row(one, shuffle, requests.count(), kernelReads, readSeconds, 0, mergeSeconds));
      }
      report(one.text());
    }
    return rows;
  }

  private DiskModel model() {
    return new DiskModel(seekMs, megabytesPerSecond);
  }

  private static MergeShuffle shuffle(MergeLayout layout, Storage storage) throws IOException {
    try {
      return new MergeShuffle(layout, storage);
    } catch (SluiceException e) {
      throw new IllegalStateException("a store refused its first shuffle", e);
    }
  }

  private void merge(MergeShuffle shuffle, MergeCase one) throws IOException {
    if (one.policy().isPresent()) {
      shuffle.merge(one.policy().get(), memory.bytes(), one.share(), () -> {});
    }
  }

  private static MergeRow row(
      MergeCase one,
      MergeShuffle shuffle,
      long requests,
      long kernelReads,
      double readSeconds,
      double crowdSeconds,
      double mergeSeconds) {
    return new MergeRow(
        one.text(),
        shuffle.runCount(),
        shuffle.extents(),
        shuffle.bytes(),
        requests,
        kernelReads,
        readSeconds,
        crowdSeconds,
        mergeSeconds,
        shuffle.counters().writtenBytes());
  }

  private void report(String done) {
    spec.commandLine().getErr().println(done);
    spec.commandLine().getErr().flush();
  }
}
