package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.MergeBatch;
import io.sluice.server.log.OpenSnapshot;
import io.sluice.server.log.PieceBytes;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.SliceMarkSnapshot;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a read of some map tasks gets the bytes of their blocks and at most a fifth more, whatever
 * the size of blocks and wherever they are stored.
 */
class MapRangeTest {
  private static final int MAPS = 60;
  private static final int PARTITIONS = 5;
  private static final int BLOCKS_EACH = 3;
  private static final int RUNS = 4;

  private enum Stored {
    MEMORY,
    FILES,
    MERGED
  }

  private record Sent(int map, int sequence) {}

  /** One frame for each block of a map task, with that block of every partition. */
  private static void append(ShuffleLog log, Sent sent, Random random, int blockBytes)
      throws Exception {
    ByteBuf body = Unpooled.buffer();
    BlockBatch batch = new BlockBatch(PARTITIONS);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      byte[] block =
          BlockBytes.block(
              sent.map,
              sent.map,
              partition,
              sent.sequence,
              sent.sequence == BLOCKS_EACH - 1,
              BlockBytes.payload(random, blockBytes - BlockHeader.LENGTH));
      int at = body.writerIndex();
      body.writeBytes(block);
      batch.add(BlockHeader.read(body, at, body.writerIndex()));
    }
    ByteBuf exact = body.copy();
    body.release();
    log.append(exact, exact.capacity(), batch);
  }

  private static void store(MergeFixture fixture, Stored stored, int blockBytes) throws Exception {
    Random random = new Random(blockBytes);
    List<Sent> all = new ArrayList<>();
    for (int map = 0; map < MAPS; map++) {
      for (int sequence = 0; sequence < BLOCKS_EACH; sequence++) {
        all.add(new Sent(map, sequence));
      }
    }
    Collections.shuffle(all, random);
    for (int i = 0; i < all.size(); i++) {
      append(fixture.log(), all.get(i), random, blockBytes);
      if (stored != Stored.MEMORY && (i + 1) % (all.size() / RUNS) == 0) {
        fixture.spill(0);
      }
    }
    assertThat(fixture.log().runs()).hasSize(stored == Stored.MEMORY ? 0 : RUNS);
    if (stored == Stored.MERGED) {
      MergeBatch batch =
          fixture.log().takeForMerge(fixture.log().runs().stream().map(LoggedRun::run).toList());
      MergeWriter.Result result =
          fixture.writer.merge(
              batch, fixture.disks.list().get(0), ByteBuffer.allocate(1 << 16), bytes -> {});
      assertThat(result.outcome()).isEqualTo(MergeOutcome.MERGED);
      assertThat(fixture.log().runs()).hasSize(1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "200, MEMORY",
    "200, FILES",
    "200, MERGED",
    "10000, MEMORY",
    "10000, FILES",
    "10000, MERGED"
  })
  void returnsOnlyBlocksOfTheRequestedMaps(int blockBytes, Stored stored) throws Exception {
    MergeFixture fixture = new MergeFixture(blockBytes, StorageKind.SSD);
    store(fixture, stored, blockBytes);
    int[] partitions = new int[PARTITIONS];
    for (int i = 0; i < PARTITIONS; i++) {
      partitions[i] = i;
    }
    for (int first = 0; first < MAPS; first += 7) {
      int end = first + 3;
      OpenSnapshot snapshot = fixture.log().snapshot(partitions, true);
      long received = 0;
      int wantedBlocks = 0;
      for (int partition : partitions) {
        for (OpenSnapshot.Mark mark :
            snapshot
                .partitions()
                .get(partition)
                .marks()
                .of(first, end, SliceMarkSnapshot.MAX_MARKS)) {
          received += mark.length();
          wantedBlocks += countWanted(fixture.log(), partition, mark, first, end);
        }
      }
      int expected = (Math.min(end, MAPS) - first) * BLOCKS_EACH * PARTITIONS;
      assertThat(wantedBlocks).isEqualTo(expected);
      assertThat((double) received / ((long) expected * blockBytes)).isBetween(1.0, 1.2);
    }
    fixture.close();
  }

  private static int countWanted(
      ShuffleLog log, int partition, OpenSnapshot.Mark mark, int first, int end) throws Exception {
    LogRange range = new LogRange(partition, mark.offset(), (int) mark.length());
    ByteBuf found = PieceBytes.read(log.read(List.of(range)));
    int wanted = 0;
    while (found.isReadable()) {
      BlockHeader header = BlockHeader.read(found, found.readerIndex(), found.writerIndex());
      wanted += header.mapIndex() >= first && header.mapIndex() < end ? 1 : 0;
      found.skipBytes(header.blockLength());
    }
    found.release();
    return wanted;
  }
}
