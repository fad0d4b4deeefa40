package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.sluice.client.compress.BlockDecompressor;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.read.PartitionProgress.HeldBlock;
import io.sluice.client.read.PartitionProgress.Joining;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Makes contents of verified blocks: decrypts, decompresses, drops what was given before, holds
 * back what came too early, joins the parts of large contents. Belongs to one thread.
 */
final class ContentAssembler implements AutoCloseable {
  private static final int FIRST_BYTES = 64 << 10;

  private final PayloadTransform transform;
  private final BlockDecompressor decompressor;
  private final int maxContentBytes;
  private byte[] output = new byte[0];
  private byte[] encrypted = new byte[0];
  // Contents whose turn it is; only the first may lie in output, the others have arrays of their
  // own.
  private final Deque<ShuffleBlock> ready = new ArrayDeque<>();
  private long blocks;
  private long contentBytes;
  private long records;
  private long skipped;

  /**
   * @param transform null for none
   * @param decompressor takes
   */
  ContentAssembler(
      PayloadTransform transform, BlockDecompressor decompressor, int maxContentBytes) {
    this.transform = transform;
    this.decompressor = decompressor;
    this.maxContentBytes = maxContentBytes;
  }

  /**
   * Takes the block at {@code index}, whose checksum is right. Borrows {@code buffer}.
   *
   * @return the content that it completes, or null
   * @throws SluiceException BLOCK_CORRUPT if its payload is not what the header says; nothing has
   *     changed then
   */
  ShuffleBlock accept(PartitionProgress progress, ByteBuf buffer, int index, BlockHeader header)
      throws IOException {
    int place = progress.expected().placeOf(header.mapAttempt());
    if (place < 0
        || header.sequence() < progress.next(place)
        || progress.isHeld(place, header.sequence())) {
      skipped++;
      return null;
    }
    int length = header.uncompressedLength();
    decompress(buffer, index + BlockHeader.LENGTH, header);
    if (header.sequence() > progress.next(place)) {
      progress.hold(
          place,
          header.sequence(),
          new HeldBlock(
              Arrays.copyOf(output, length),
              header.recordCount(),
              header.isLast(),
              header.isContinued()));
      return null;
    }
    give(
        progress,
        place,
        output,
        length,
        header.recordCount(),
        header.isLast(),
        header.isContinued());
    for (HeldBlock held = progress.takeHeld(place); held != null; held = progress.takeHeld(place)) {
      give(
          progress,
          place,
          held.content(),
          held.content().length,
          held.records(),
          held.last(),
          held.continued());
    }
    return ready.pollFirst();
  }

  /** A content that had come too early and whose turn it is now, or null. */
  ShuffleBlock nextReady() {
    return ready.pollFirst();
  }

  private void give(
      PartitionProgress progress,
      int place,
      byte[] content,
      int length,
      int recordCount,
      boolean isLast,
      boolean isContinued)
      throws SluiceException {
    Joining joining = progress.joining(place);
    if ((joining == null ? 0L : joining.length()) + length > maxContentBytes) {
      throw new SluiceException(
          StatusCode.BLOCK_CORRUPT,
          "content of attempt "
              + progress.expected().attempt(place)
              + " in partition "
              + progress.partition()
              + " exceeds the limit of "
              + maxContentBytes
              + " bytes");
    }
    if (joining == null && isContinued) {
      joining = new Joining(length * 2);
      progress.startJoining(place, joining);
    }
    if (joining != null) {
      joining.add(content, length, recordCount);
    }
    progress.given(place, isLast);
    blocks++;
    records += recordCount;
    contentBytes += length;
    if (isContinued) {
      return;
    }
    ByteBuffer bytes;
    int contentRecords = recordCount;
    if (joining == null) {
      bytes = ByteBuffer.wrap(content, 0, length);
    } else {
      progress.endJoining(place);
      bytes = ByteBuffer.wrap(joining.bytes(), 0, joining.length());
      contentRecords = joining.records();
    }
    if (bytes.hasRemaining()) {
      ready.addLast(
          new ShuffleBlock(
              progress.partition(),
              progress.expected().attempt(place),
              progress.expected().mapIndex(place),
              contentRecords,
              bytes));
    }
  }

  private void decompress(ByteBuf buffer, int payloadAt, BlockHeader header) throws IOException {
    int length = header.uncompressedLength();
    int payloadLength = header.payloadLength();
    ByteBuffer payload;
    if (header.isEncrypted() && payloadLength > 0) {
      payload = decrypt(buffer, payloadAt, payloadLength);
    } else {
      payload = buffer.nioBuffer(payloadAt, payloadLength);
    }
    decompressor.checkLength(header.codec(), payload.remaining(), length);
    if (output.length < length) {
      output = new byte[Math.max(length, Math.max(FIRST_BYTES, output.length * 2))];
    }
    decompressor.decompress(header.codec(), payload, output, 0, length);
  }

  private ByteBuffer decrypt(ByteBuf buffer, int payloadAt, int payloadLength) throws IOException {
    if (transform == null) {
      throw new SluiceException(
          StatusCode.BAD_REQUEST, "the blocks are encrypted and this reader has no key");
    }
    if (encrypted.length < payloadLength) {
      encrypted = new byte[Math.max(payloadLength, encrypted.length * 2)];
    }
    buffer.getBytes(payloadAt, encrypted, 0, payloadLength);
    return ByteBuffer.wrap(transform.decode(encrypted, 0, payloadLength));
  }

  long blocks() {
    return blocks;
  }

  long contentBytes() {
    return contentBytes;
  }

  long records() {
    return records;
  }

  long skipped() {
    return skipped;
  }

  /** Frees buffers and what the codecs hold. Idempotent. */
  @Override
  public void close() {
    decompressor.close();
    output = new byte[0];
    encrypted = new byte[0];
    ready.clear();
  }
}
