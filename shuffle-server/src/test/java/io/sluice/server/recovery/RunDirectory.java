package io.sluice.server.recovery;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.run.RunHeader;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.common.run.RunWriter;
import io.sluice.server.catalog.CatalogConfig;
import io.sluice.server.catalog.RocksCatalog;
import io.sluice.server.catalog.RunCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.DirectoryStorage;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A real directory with a real catalog, to which runs are written step by step. */
final class RunDirectory implements AutoCloseable {
  /** A block of {@code length} bytes of payload that all have the attempt's number. */
  record Block(int partition, long attempt, int sequence, boolean last, int length) {
    byte[] bytes() {
      byte[] payload = new byte[length];
      java.util.Arrays.fill(payload, (byte) attempt);
      return BlockBytes.block(attempt, (int) attempt, partition, sequence, last, payload);
    }
  }

  private final Path base;
  private final DirectoryStorage storage;
  private final RunCatalog catalog;
  private final Disk disk;

  RunDirectory(Path base, StorageKind kind) throws IOException {
    this.base = base;
    storage =
        DirectoryStorage.open(
            new DirectoryConfig(base, Optional.of(kind), 1L << 30, 1), Fsync.NEVER, "test");
    catalog = RocksCatalog.open(CatalogConfig.directory(base), CatalogConfig.DEFAULT);
    disk = new Disk(storage, catalog, DiskLimits.DEFAULT, System::nanoTime);
  }

  Disk disk() {
    return disk;
  }

  RunCatalog catalog() {
    return catalog;
  }

  Path file(RunId run) {
    return base.resolve("runs").resolve(RunFiles.fileName(run));
  }

  List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(base.resolve("runs"))) {
      return files.toList();
    }
  }

  /** Half of a run's bytes, under its temporary name. */
  void writeHalf(RunId run, ShuffleKey shuffle, RunOrder order, Block... blocks)
      throws IOException {
    RunRecord whole = write(run, shuffle, order, List.of(), blocks);
    byte[] bytes = Files.readAllBytes(file(run));
    Files.write(
        file(run).resolveSibling(RunFiles.fileName(run) + ".tmp"),
        java.util.Arrays.copyOf(bytes, (int) whole.length() / 2));
    Files.delete(file(run));
  }

  /** A complete file under its final name, without a catalog record. */
  RunRecord write(
      RunId run, ShuffleKey shuffle, RunOrder order, List<RunId> replaces, Block... blocks)
      throws IOException {
    Map<Integer, List<ByteBuf>> byPartition = new TreeMap<>();
    for (Block block : blocks) {
      byPartition
          .computeIfAbsent(block.partition(), unused -> new ArrayList<>())
          .add(Unpooled.wrappedBuffer(block.bytes()));
    }
    try (Storage.NewFile file = storage.create(RunFiles.fileName(run))) {
      RunWriter writer =
          new RunWriter(
              file.channel(),
              new RunHeader(run, order, shuffle.application(), shuffle.shuffle()),
              replaces);
      for (Map.Entry<Integer, List<ByteBuf>> partition : byPartition.entrySet()) {
        writer.writePartition(partition.getKey(), 0, partition.getValue());
      }
      long length = writer.finish();
      file.commit();
      return new RunRecord(run, shuffle, order, length, replaces);
    }
  }

  /** A run with its catalog record. */
  RunRecord add(RunId run, ShuffleKey shuffle, RunOrder order, Block... blocks) throws IOException {
    RunRecord record = write(run, shuffle, order, List.of(), blocks);
    catalog.add(record);
    return record;
  }

  @Override
  public void close() throws IOException {
    catalog.close();
    storage.close();
  }
}
