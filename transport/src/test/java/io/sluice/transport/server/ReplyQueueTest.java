package io.sluice.transport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.FileRegion;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplyQueueTest {
  private static final int FILE_BYTES = 3 << 20;

  @TempDir Path directory;

  private final Random random = new Random(5);
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final ReplyQueue replies = new ReplyQueue();
  private final List<CountedBytes> bodies = new ArrayList<>();
  private final ByteArrayOutputStream expected = new ByteArrayOutputStream();
  private byte[] content;
  private FileChannel file;
  private int heads;

  @BeforeEach
  void makeFile() throws IOException {
    content = new byte[FILE_BYTES];
    random.nextBytes(content);
    Path path = directory.resolve("file");
    Files.write(path, content);
    file = FileChannel.open(path, StandardOpenOption.READ);
  }

  @AfterEach
  void everythingIsReleased() throws IOException {
    replies.close();
    replies.close();
    assertThat(bodies).allMatch(CountedBytes::isClosed);
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(replies.isWritable()).isTrue();
    file.close();
  }

  private ByteBuf head(int length) {
    byte[] head = new byte[length];
    random.nextBytes(head);
    expected.writeBytes(head);
    heads++;
    return allocator.directBuffer(length).writeBytes(head);
  }

  private CountedBytes body(int... lengths) {
    CountedBytes body = new CountedBytes();
    for (int length : lengths) {
      int at = random.nextInt(FILE_BYTES - length + 1);
      expected.write(content, at, length);
      if (random.nextBoolean()) {
        body.add(file, at, length);
      } else {
        body.add(allocator.directBuffer(length).writeBytes(content, at, length));
      }
    }
    bodies.add(body);
    return body;
  }

  private void addRandomReply() {
    switch (random.nextInt(4)) {
      case 0 -> replies.add(head(40));
      case 1 -> replies.add(head(1 + random.nextInt(300_000)), () -> heads++);
      default -> {
        int[] lengths = new int[random.nextInt(6)];
        for (int i = 0; i < lengths.length; i++) {
          lengths[i] = 1 + random.nextInt(random.nextBoolean() ? 100 : 1_500_000);
        }
        replies.add(head(50), body(lengths));
      }
    }
  }

  @Test
  void passesOnEveryByteInOrderInCopiedParts() throws IOException {
    for (int round = 0; round < 60; round++) {
      addRandomReply();
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    while (replies.hasNext()) {
      ByteBuf part = replies.next(allocator, 1 + random.nextInt(ReplyQueue.PART_BYTES));
      assertThat(part.readableBytes()).isBetween(1, ReplyQueue.PART_BYTES);
      part.readBytes(out, part.readableBytes());
      part.release();
    }
    assertThat(out.toByteArray()).isEqualTo(expected.toByteArray());
    assertThat(replies.handedOverBytes()).isEqualTo(expected.size());
    assertThat(replies.isEmpty()).isFalse();
  }

  @Test
  void passesOnEveryByteInOrderWithoutCopies() throws IOException {
    for (int round = 0; round < 60; round++) {
      addRandomReply();
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    WritableByteChannel channel = Channels.newChannel(out);
    List<Object> messages = new ArrayList<>();
    while (replies.hasNext()) {
      messages.clear();
      long before = out.size();
      int bytes = replies.next(messages);
      for (Object message : messages) {
        if (message instanceof ByteBuf buffer) {
          buffer.readBytes(out, buffer.readableBytes());
          buffer.release();
        } else {
          FileRegion region = (FileRegion) message;
          assertThat(region.transferTo(channel, 0)).isEqualTo(region.count());
          region.release();
        }
      }
      assertThat(out.size() - before).isEqualTo(bytes);
      assertThat(messages.size()).isLessThanOrEqualTo(7);
    }
    assertThat(file.isOpen()).isTrue();
    assertThat(out.toByteArray()).isEqualTo(expected.toByteArray());
  }

  @Test
  void countsAReplyUntilItsLastByteIsSent() throws IOException {
    CountedBytes first = body(200_000, 100_000);
    replies.add(head(50), first);
    boolean[] open = new boolean[1];
    replies.add(head(500), () -> open[0] = true);
    handOverAll();
    assertThat(first.unsentBytes()).as("passed on, but not sent").isEqualTo(300_000);

    replies.sent(50);
    assertThat(first.unsentBytes()).isEqualTo(300_000);
    replies.sent(1_000);
    assertThat(first.unsentBytes()).isEqualTo(299_000);
    replies.sent(298_999);
    assertThat(first.isClosed()).isFalse();
    assertThat(replies.sentReplies()).isZero();
    replies.sent(1);
    assertThat(first.isClosed()).isTrue();
    assertThat(replies.sentReplies()).isEqualTo(1);
    assertThat(replies.hasCounted()).isTrue();
    replies.sent(499);
    assertThat(open[0]).isFalse();
    replies.sent(1);
    assertThat(open[0]).isTrue();
    assertThat(replies.hasCounted()).isFalse();
    assertThat(replies.isEmpty()).isTrue();
  }

  @Test
  void severalRepliesCanBeSentAtOnce() throws IOException {
    for (int i = 0; i < 10; i++) {
      replies.add(head(50), body(1_000));
      replies.add(head(32));
    }
    handOverAll();
    replies.sent(10 * (50 + 1_000 + 32) - 5);
    assertThat(replies.sentReplies()).isEqualTo(19);
    assertThat(bodies).allMatch(CountedBytes::isClosed);
  }

  @Test
  void hasRoomAgainBelowTheLowMark() throws IOException {
    replies.add(head(50), body(2_500_000));
    assertThat(replies.isWritable()).isTrue();
    replies.add(head(50), body(2_500_000));
    assertThat(replies.isWritable()).isFalse();
    handOverAll();
    replies.sent(2_000_000);
    assertThat(replies.isWritable()).isFalse();
    replies.sent(1_500_000);
    assertThat(replies.isWritable()).isTrue();
  }

  /** An acknowledgement of 32 bytes uses a few hundred bytes of heap. */
  @Test
  void acceptsFewRepliesThatNoBudgetCounts() throws IOException {
    int acknowledgements = 0;
    while (replies.isWritable()) {
      replies.add(head(32));
      acknowledgements++;
    }
    assertThat(acknowledgements).isBetween(100, 300);
    handOverAll();
    replies.sent(32L * acknowledgements / 2 + 32);
    assertThat(replies.isWritable()).isTrue();
  }

  @Test
  void discardsPartiallyPassedReplies() throws IOException {
    replies.add(head(300_000), () -> heads--);
    replies.next(allocator, 1).release();
    replies.add(head(50), body(500_000));
    replies.add(head(50));
    replies.close();
    assertThat(heads).isEqualTo(2);
    assertThat(replies.isEmpty()).isTrue();
    assertThat(replies.hasNext()).isFalse();
  }

  @Test
  void reportsTheEndOfAFile() throws IOException {
    CountedBytes body = new CountedBytes();
    body.add(file, FILE_BYTES - 10, 20);
    bodies.add(body);
    replies.add(head(50), body);
    replies.next(allocator, 1).release();
    assertThatThrownBy(() -> replies.next(allocator, 1)).isInstanceOf(EOFException.class);
  }

  private void handOverAll() throws IOException {
    while (replies.hasNext()) {
      replies.next(allocator, 1).release();
    }
  }

  @Test
  void doesNotCopyLargePieces() throws IOException {
    CountedBytes body = new CountedBytes();
    ByteBuf memory = Unpooled.directBuffer(100_000).writeZero(100_000);
    body.add(memory);
    bodies.add(body);
    replies.add(head(50), body);
    replies.next(allocator, 16 << 10).release();
    ByteBuf part = replies.next(allocator, 16 << 10);
    assertThat(part.memoryAddress()).isEqualTo(memory.memoryAddress());
    part.release();
  }
}
