package io.sluice.benchmark.floor;

import io.sluice.benchmark.cluster.FreePages;
import io.sluice.benchmark.cluster.ProcessMeter;
import io.sluice.benchmark.cluster.ProtectedCluster;
import io.sluice.benchmark.floor.FloorRequest.Work;
import io.sluice.cli.bench.BenchLoad;
import io.sluice.cli.bench.BenchReport;
import io.sluice.cli.bench.BenchRun;
import io.sluice.cli.bench.ProgressLine;
import io.sluice.client.TransportKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Measures the minimal server, the cipher and Sluice's servers in turn, in alternating order, so
 * that other load of the machine affects all of them. Used by one thread.
 */
final class FloorBench {
  private static final double BYTES_PER_GIB = 1L << 30;

  private final BenchLoad load;
  private final ProgressLine.Factory progress;
  private final Subjects subjects;
  private final FreePages freePages;
  private double spilledShare;

  /**
   * Servers to measure, borrowed.
   *
   * @param memory with memory for all blocks
   * @param files with memory for a small part of the blocks
   * @param tls as {@code files}, with TLS
   */
  record Subjects(
      FloorProcess floor,
      CipherMeter cipher,
      ProtectedCluster memory,
      ProtectedCluster files,
      ProtectedCluster tls) {}

  /** Measures one or several figures. */
  private interface Turn {
    void measure(Map<FloorFigure, Double> cpu) throws IOException, InterruptedException;
  }

  FloorBench(
      BenchLoad load, ProgressLine.Factory progress, Subjects subjects, FreePages freePages) {
    this.load = load;
    this.progress = progress;
    this.subjects = subjects;
    this.freePages = freePages;
  }

  /**
   * Measures until there are enough warm rounds.
   *
   * @param firstMs time from now within which rounds count as first ones
   * @param warmRounds number of later rounds
   */
  List<FloorRound> run(long firstMs, int warmRounds) throws IOException, InterruptedException {
    List<FloorRound> rounds = new ArrayList<>();
    long start = System.nanoTime();
    int warm = 0;
    while (warm < warmRounds) {
      boolean isFirst = System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(firstMs);
      rounds.add(round(isFirst, rounds.size()));
      warm += isFirst ? 0 : 1;
    }
    return rounds;
  }

  private FloorRound round(boolean isFirst, int index) throws IOException, InterruptedException {
    List<Turn> turns =
        new ArrayList<>(
            List.of(this::floor, this::cipher, this::memory, this::netty, this::grpc, this::tls));
    if (index % 2 == 1) {
      Collections.reverse(turns);
    }
    Map<FloorFigure, Double> cpu = new EnumMap<>(FloorFigure.class);
    for (Turn turn : turns) {
      turn.measure(cpu);
    }
    return new FloorRound(isFirst, cpu, spilledShare);
  }

  private void floor(Map<FloorFigure, Double> cpu) throws IOException, InterruptedException {
    cpu.put(FloorFigure.RECEIVE, floor(Work.RECEIVE));
    cpu.put(FloorFigure.RECEIVE_CRC, floor(Work.RECEIVE_CRC));
    cpu.put(FloorFigure.KEEP, floor(Work.KEEP));
    freePages.use();
    cpu.put(FloorFigure.WRITE, floor(Work.WRITE));
    // They send the files of the last turn.
    cpu.put(FloorFigure.SEND, floor(Work.SEND));
    cpu.put(FloorFigure.SEND_COPY, floor(Work.SEND_COPY));
  }

  private double floor(Work work) throws IOException, InterruptedException {
    FloorClient client =
        new FloorClient(subjects.floor.port(), load.connections(), (int) load.frameBytes());
    ProcessMeter meter = subjects.floor.meter();
    double before = meter.cpuSeconds();
    long bytes = client.run(work, load.totalBytes());
    return (meter.cpuSeconds() - before) / (bytes / BYTES_PER_GIB);
  }

  private void cipher(Map<FloorFigure, Double> cpu) throws IOException {
    CipherMeter.Cost cost = subjects.cipher.measure(load.totalBytes());
    double gib = load.totalBytes() / BYTES_PER_GIB;
    cpu.put(FloorFigure.ENCRYPT, cost.encrypt() / gib);
    cpu.put(FloorFigure.DECRYPT, cost.decrypt() / gib);
  }

  private void memory(Map<FloorFigure, Double> cpu) throws IOException, InterruptedException {
    BenchRun.Target target = subjects.memory.target();
    try (BenchRun run = BenchRun.start(load, target, progress, target.freshApplication())) {
      try {
        BenchReport pushed = run.push();
        if (pushed.spilledBytes() > 0) {
          throw new IOException(
              "the server spilled "
                  + pushed.spilledBytes()
                  + " bytes although its memory is larger"
                  + " than --total");
        }
        cpu.put(FloorFigure.PUSH_MEMORY, perGib(pushed));
      } finally {
        run.cluster().forget();
      }
    }
  }

  private void netty(Map<FloorFigure, Double> cpu) throws IOException, InterruptedException {
    spilledShare =
        pushAndFetch(
            subjects.files,
            load.withTransport(TransportKind.GRPC_NETTY),
            cpu,
            FloorFigure.PUSH_NETTY,
            FloorFigure.FETCH_NETTY);
  }

  private void grpc(Map<FloorFigure, Double> cpu) throws IOException, InterruptedException {
    pushAndFetch(
        subjects.files,
        load.withTransport(TransportKind.GRPC),
        cpu,
        FloorFigure.PUSH_GRPC,
        FloorFigure.FETCH_GRPC);
  }

  private void tls(Map<FloorFigure, Double> cpu) throws IOException, InterruptedException {
    pushAndFetch(
        subjects.tls,
        load.withTransport(TransportKind.GRPC_NETTY),
        cpu,
        FloorFigure.PUSH_TLS,
        FloorFigure.FETCH_TLS);
  }

  /** Returns the share of the pushed bytes that was spilled during the push. */
  private double pushAndFetch(
      ProtectedCluster cluster,
      BenchLoad kind,
      Map<FloorFigure, Double> cpu,
      FloorFigure push,
      FloorFigure fetch)
      throws IOException, InterruptedException {
    BenchRun.Target target = cluster.target();
    try (BenchRun run = BenchRun.start(kind, target, progress, target.freshApplication())) {
      try {
        freePages.use();
        BenchReport pushed = run.push();
        cpu.put(push, perGib(pushed));
        BenchReport fetched =
            run.fetch(run.cluster().allPartitionsOnEveryServer(kind.partitions()), pushed.blocks());
        cpu.put(fetch, perGib(fetched));
        return Math.min(1, (double) pushed.spilledBytes() / pushed.movedBytes());
      } finally {
        run.cluster().forget();
      }
    }
  }

  private static double perGib(BenchReport report) {
    return report.serverCpuSeconds() / (report.movedBytes() / BYTES_PER_GIB);
  }
}
