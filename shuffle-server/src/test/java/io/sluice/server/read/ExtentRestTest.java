package io.sluice.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.PageCache;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LogPiece;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.RequestMemory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which bytes a disk reads for a piece that ends before its extent. */
class ExtentRestTest {
  private static final ClientConnection CLIENT = new ClientConnection("app", "test", "peer");
  private static final int MIB = 1 << 20;

  @TempDir private Path directory;
  private final List<String> loads = new ArrayList<>();
  private final ManualTimer timer = new ManualTimer();
  private boolean restFails;
  private FileChannel file;
  private FileReads reads;

  @BeforeEach
  void start() throws IOException {
    file = FileChannel.open(Files.createFile(directory.resolve("file")), StandardOpenOption.READ);
    reads =
        new FileReads(
            DiskReadConfig.DEFAULT,
            new ReadBudget(64 * MIB),
            new RequestMemory(MIB),
            new RecordedLoads(),
            UnpooledByteBufAllocator.DEFAULT,
            disk -> Runnable::run,
            timer,
            ReadResultListener.IGNORED,
            new DiskReadCounters(),
            System::nanoTime);
  }

  @AfterEach
  void stop() throws IOException {
    reads.close();
    timer.shutdownNow();
    file.close();
  }

  private LogPiece piece(StorageKind kind, long position, int length, long following) {
    FakeRun run =
        new FakeRun(
            new Disk(
                new InMemoryStorage("disk", kind),
                new InMemoryCatalog(),
                DiskLimits.DEFAULT,
                System::nanoTime),
            () -> file);
    run.retain();
    return new LogPiece.InFile(run, position, length, following);
  }

  private void read(boolean continued, LogPiece... pieces) throws Exception {
    InlineReads.await(reads.read(CLIENT, 7, List.of(pieces), continued)).close();
  }

  @Test
  void anHddReadsAShortRestTogetherWithTheLastPiece() throws Exception {
    read(true, piece(StorageKind.HDD, 100, 20, 5_000), piece(StorageKind.HDD, 7_000, 10, MIB));

    assertThat(loads).containsExactlyInAnyOrder("100+20", "7000+10", "7010+" + MIB);
  }

  @Test
  void aLongRestIsLeftToTheNextRead() throws Exception {
    read(true, piece(StorageKind.HDD, 100, 20, MIB + 1));

    assertThat(loads).containsExactly("100+20");
  }

  @Test
  void aClientThatReadsElsewhereGetsItsPiecesOnly() throws Exception {
    read(false, piece(StorageKind.HDD, 100, 20, 5_000));

    assertThat(loads).containsExactly("100+20");
  }

  @Test
  void anSsdHasNoSeeksToSave() throws Exception {
    read(true, piece(StorageKind.SSD, 100, 20, 5_000));

    assertThat(loads).containsExactly("100+20");
  }

  @Test
  void aFailureOfTheRestDoesNotFailTheFetch() throws Exception {
    restFails = true;

    read(true, piece(StorageKind.HDD, 100, 20, 5_000));

    assertThat(loads).containsExactly("100+20", "120+5000");
  }

  private final class RecordedLoads extends PageCache.Unknown {
    @Override
    public boolean load(FileChannel channel, long position, int length) throws IOException {
      loads.add(position + "+" + length);
      if (restFails && loads.size() > 1) {
        throw new IOException("test: the disk failed");
      }
      return true;
    }
  }
}
