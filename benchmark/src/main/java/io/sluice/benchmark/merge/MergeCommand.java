package io.sluice.benchmark.merge;

import io.sluice.cli.bench.BenchNames;
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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice bench merge}. */
@Command(
    name = "merge",
    description =
        "Write one shuffle as many small runs, merge them in several ways, read everything back and"
            + " count the requests; on an emulated disk, or on files with --directory.")
public final class MergeCommand implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long SEED = 20_261_121;

  @Spec private CommandSpec spec;

  @Option(names = "--maps", paramLabel = "N", description = "Map tasks; default ${DEFAULT-VALUE}.")
  private int maps = 1000;

  @Option(
      names = "--reduces",
      paramLabel = "N",
      description = "Reduce partitions; default ${DEFAULT-VALUE}.")
  private int reduces = 1000;

  @Option(
      names = "--scale",
      paramLabel = "SHARE",
      description = "Only this share of the reduces, all else the same; default ${DEFAULT-VALUE}.")
  private double scale = 1;

  @Option(
      names = "--min-block",
      paramLabel = "SIZE",
      description = "Smallest block; default 10KiB.")
  private DataSize minBlock = DataSize.ofKib(10);

  @Option(
      names = "--max-block",
      paramLabel = "SIZE",
      description = "Largest block; default 150KiB.")
  private DataSize maxBlock = DataSize.ofKib(150);

  @Option(
      names = "--maps-per-run",
      paramLabel = "N",
      description = "Map outputs in one spill; default ${DEFAULT-VALUE}.")
  private int mapsPerRun = 1;

  @Option(
      names = "--slice",
      paramLabel = "SIZE",
      description = "What a reader asks for at a time; default 1MiB.")
  private DataSize slice = DataSize.ofMib(1);

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description = "rss.server.merge.memory; default 128MiB.")
  private DataSize memory = DataSize.ofMib(128);

  @Option(
      names = "--policies",
      paramLabel = "POLICY",
      split = ",",
      description =
          "What to try, the first to compare the others with: none, fan-in:N, blocks:SIZE; with"
              + " @90%% behind it reading begins when so much is merged.")
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
      description = "Seek of the emulated disk; default ${DEFAULT-VALUE}.")
  private double seekMs = 10;

  @Option(
      names = "--bandwidth",
      paramLabel = "MB/S",
      description = "Bandwidth of the emulated disk, in 10^6 bytes; default ${DEFAULT-VALUE}.")
  private double megabytesPerSecond = 200;

  @Option(
      names = "--readers",
      paramLabel = "N",
      description = "Readers at once on the emulated disk; default ${DEFAULT-VALUE}.")
  private int readers = 8;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Use real files below this new directory; give a --scale that fits.")
  private Path directory;

  @Option(names = "--csv", paramLabel = "FILE", description = "Write the rows there, too.")
  private Path csv;

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
    BenchNames.print(spec, MergeTable.of(rows, directory != null, readers));
    if (csv != null) {
      List<String> lines = new ArrayList<>(List.of(MergeRow.CSV_HEADING));
      rows.forEach(row -> lines.add(row.csv()));
      Files.write(csv, lines);
    }
    return 0;
  }

  private void check() {
    if (maps < 1 || reduces < 1 || scale <= 0 || scale > 1 || mapsPerRun < 1 || readers < 1) {
      throw wrong("maps, reduces, maps per run and readers begin at 1, the scale is 0..1");
    }
    if (minBlock.bytes() <= BlockHeader.LENGTH || maxBlock.bytes() < minBlock.bytes()) {
      throw wrong("blocks are larger than " + BlockHeader.LENGTH + " bytes, min up to max");
    }
    if (maxBlock.bytes() > 1 << 30 || slice.bytes() < 1 || slice.bytes() > 1 << 30) {
      throw wrong("blocks and slices have up to 1GiB");
    }
    if (memory.bytes() < 4 << 20 || seekMs < 0 || megabytesPerSecond <= 0) {
      throw wrong("the memory begins at 4MiB, and the disk moves");
    }
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec.commandLine(), what);
  }

  private List<MergeCase> cases() {
    try {
      return policies.stream().map(MergeCase::parse).toList();
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  /** The runs are written once; every case begins with a copy of the disk. */
  private List<MergeRow> emulated(MergeLayout layout, List<MergeCase> cases) throws IOException {
    EmulatedDisk written = new EmulatedDisk(model());
    // Not closed: that would delete what the copies share.
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
              "counted " + requests.count() + " requests, the disk " + model.requests());
        }
      }
      tell(one.text());
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
      tell(one.text());
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
      throw new IllegalStateException("the first shuffle of a store", e);
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

  private void tell(String done) {
    spec.commandLine().getErr().println(done);
    spec.commandLine().getErr().flush();
  }
}
