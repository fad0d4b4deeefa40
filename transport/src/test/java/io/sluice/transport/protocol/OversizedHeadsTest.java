package io.sluice.transport.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.WireFormat;
import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.fuzz.DecoderFuzz;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.Range;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** Heads whose parsed objects would be many times larger than their bytes. */
class OversizedHeadsTest {
  /** Maximum fixed memory of a parse, independent of the input length. */
  private static final long FIXED_BYTES = 64 << 10;

  private final ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** A call of a decoder whose allocations are measured. */
  private interface Decoding {
    void run() throws Exception;
  }

  private long allocated(Decoding decoding) throws Exception {
    // The first call loads classes.
    decoding.run();
    long before = memory.getCurrentThreadAllocatedBytes();
    decoding.run();
    return memory.getCurrentThreadAllocatedBytes() - before;
  }

  private static <T extends Message> T parse(Parser<T> parser, FrameType type, byte[] head)
      throws FrameFormatException {
    ByteBuf frame = Unpooled.wrappedBuffer(head);
    return FrameHeads.parse(parser, type, frame, 0, head.length);
  }

  private static byte[] emptyRanges(int count) {
    byte[] head = new byte[2 * count];
    for (int i = 0; i < count; i++) {
      head[2 * i] = (byte) (Fetch.RANGES_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED);
    }
    return head;
  }

  @Test
  void refusesTooManyRangesBeforeParsing() throws Exception {
    byte[] head = emptyRanges(FrameType.FETCH.maxHeadLength() / 2);
    long bytes =
        allocated(
            () ->
                assertThatThrownBy(() -> parse(Fetch.parser(), FrameType.FETCH, head))
                    .isInstanceOf(FrameFormatException.class)
                    .hasMessageContaining("more than 16384 ranges"));
    assertThat(bytes).isLessThan(FIXED_BYTES + 2L * head.length);
  }

  @Test
  void refusesTooManyReportedBlocksBeforeParsing() throws Exception {
    Fetch.Builder fetch = Fetch.newBuilder();
    for (int i = 0; i < FrameLimits.MAX_REPORTED_BLOCKS; i++) {
      fetch.addDamagedBuilder().setPartition(i);
    }
    byte[] most = fetch.build().toByteArray();
    assertThat(parse(Fetch.parser(), FrameType.FETCH, most).getDamagedCount()).isEqualTo(16);
    fetch.addDamagedBuilder();
    byte[] tooMany = fetch.build().toByteArray();
    assertThatThrownBy(() -> parse(Fetch.parser(), FrameType.FETCH, tooMany))
        .isInstanceOf(FrameFormatException.class)
        .hasMessageContaining("more than 16 damaged blocks");
  }

  @Test
  void acceptsTheMaximumNumberOfRanges() throws Exception {
    byte[] head = emptyRanges(FrameLimits.MAX_RANGES);
    assertThat(parse(Fetch.parser(), FrameType.FETCH, head).getRangesCount()).isEqualTo(16_384);
    assertThat(allocated(() -> parse(Fetch.parser(), FrameType.FETCH, head)))
        .isLessThan(FIXED_BYTES + FrameHeads.parsedBytes(FrameType.FETCH, head.length));
  }

  @Test
  void refusesTooManyPartitionsInAnyEncoding() throws Exception {
    Open.Builder many = Open.newBuilder();
    for (int partition = 0; partition <= FrameLimits.MAX_PARTITIONS; partition++) {
      many.addPartitions(partition);
    }
    byte[] packed = many.build().toByteArray();
    ByteArrayOutputStream oneByOne = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(oneByOne);
    for (int partition = 0; partition <= FrameLimits.MAX_PARTITIONS; partition++) {
      out.writeInt32(Open.PARTITIONS_FIELD_NUMBER, partition);
    }
    out.flush();
    for (byte[] head : new byte[][] {packed, oneByOne.toByteArray()}) {
      assertThatThrownBy(() -> parse(Open.parser(), FrameType.OPEN, head))
          .isInstanceOf(FrameFormatException.class)
          .hasMessageContaining("more than 4096 partitions");
      byte[] allowed = many.clone().clearPartitions().addPartitions(1).build().toByteArray();
      assertThat(parse(Open.parser(), FrameType.OPEN, allowed).getPartitionsCount()).isEqualTo(1);
    }
  }

  @Test
  void ignoresUnknownFields() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    for (int field = 1_000; bytes.size() < FrameType.OPEN.maxHeadLength() - 5_000; field++) {
      out.writeInt32(field, 1);
      out.flush();
    }
    byte[] head = bytes.toByteArray();
    assertThat(allocated(() -> parse(Open.parser(), FrameType.OPEN, head)))
        .isLessThan(FIXED_BYTES + FrameHeads.parsedBytes(FrameType.OPEN, head.length));
  }

  @Test
  void refusesNestedGroups() {
    byte[] head = new byte[FrameType.OPEN.maxHeadLength()];
    Arrays.fill(head, (byte) (15 << 3 | WireFormat.WIRETYPE_START_GROUP));
    assertThatThrownBy(() -> parse(Open.parser(), FrameType.OPEN, head))
        .isInstanceOf(FrameFormatException.class);
  }

  @Test
  void anyRequestUsesAtMostTheCountedMemory() {
    Fetch.Builder fetch = Fetch.newBuilder().setEpoch(7);
    for (int i = 0; i < 3_000; i++) {
      fetch.addRanges(Range.newBuilder().setPartition(i % 3).setOffset(i).setLength(1 + i % 2));
    }
    Open open =
        Open.newBuilder()
            .addPartitions(3)
            .setWantedAttempts(AttemptSets.encode(Roaring64NavigableMap.bitmapOf(1, 1L << 40)))
            .build();
    DecoderFuzz.of(fetch.build().toByteArray(), emptyRanges(100))
        .refusing(FrameFormatException.class)
        .allocating(input -> FIXED_BYTES + FrameHeads.parsedBytes(FrameType.FETCH, input.length))
        .run(input -> parse(Fetch.parser(), FrameType.FETCH, input));
    DecoderFuzz.of(open.toByteArray())
        .refusing(FrameFormatException.class)
        .allocating(input -> FIXED_BYTES + FrameHeads.parsedBytes(FrameType.OPEN, input.length))
        .run(input -> parse(Open.parser(), FrameType.OPEN, input));
  }

  /** The worst cases: empty high halves, and containers with one value. */
  @Test
  void attemptSetsUseAtMostTheCountedMemory() throws Exception {
    ByteString.Output empty = ByteString.newOutput();
    int highHalves = FrameType.OPEN.maxHeadLength() / 12;
    writeLittleEndian(empty, highHalves, 8);
    for (int high = 0; high < highHalves; high++) {
      writeLittleEndian(empty, high, 4);
      writeLittleEndian(empty, 12346, 4);
      writeLittleEndian(empty, 0, 4);
    }
    Roaring64NavigableMap sparse = new Roaring64NavigableMap();
    for (long attempt = 0; attempt < 60_000; attempt++) {
      sparse.addLong(attempt << 16);
    }
    Roaring64NavigableMap tasks = new Roaring64NavigableMap();
    for (long task = 0; task < 40_000; task++) {
      tasks.addLong(task << 32);
    }
    for (ByteString set :
        new ByteString[] {
          empty.toByteString(), AttemptSets.encode(sparse), AttemptSets.encode(tasks)
        }) {
      // Temporary allocations of decoding are at most as large as the decoded set.
      assertThat(allocated(() -> AttemptSets.decode(set)))
          .isLessThan(FIXED_BYTES + 2 * AttemptSets.decodedBytes(set));
    }
  }

  private static void writeLittleEndian(ByteString.Output out, long value, int length)
      throws IOException {
    for (int i = 0; i < length; i++) {
      out.write((int) (value >>> (8 * i)));
    }
  }

  @Test
  void countsBytesAndNotTheClaimedSize() {
    byte[] claim = new byte[8];
    Arrays.fill(claim, (byte) 0x7f);
    assertThat(AttemptSets.decodedBytes(ByteString.copyFrom(claim))).isLessThan(1_000);
    Arrays.fill(claim, (byte) 0xff);
    assertThat(AttemptSets.decodedBytes(ByteString.copyFrom(claim))).isLessThan(1_000);
    assertThat(AttemptSets.decodedBytes(ByteString.EMPTY)).isZero();
  }
}
