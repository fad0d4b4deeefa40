package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.sluice.client.compress.BlockDecompressor;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Makes contents of verified blocks: drops what has come before, decrypts, decompresses, and lets a
 * {@link DeliveryOrder} decide what is given when. Belongs to one thread.
 */
final class BlockAssembler implements AutoCloseable {
  private static final int FIRST_BYTES = 64 << 10;

  private final PayloadTransform transform;
  private final BlockDecompressor decompressor;
  private final ReadyBlocks ready;
  private final DeliveryOrder order;
  private byte[] output = new byte[0];
  private byte[] encrypted = new byte[0];
  private long blocks;
  private long contentBytes;
  private long records;
  private long skipped;

  /**
   * @param transform null for none
   * @param decompressor takes
   * @param maxContentBytes most bytes of one content
   * @param anyOrder whether contents of an attempt may come in any order
   */
  BlockAssembler(
      PayloadTransform transform,
      BlockDecompressor decompressor,
      int maxContentBytes,
      boolean anyOrder) {
    this.transform = transform;
    this.decompressor = decompressor;
    this.ready = new ReadyBlocks(maxContentBytes);
    this.order = anyOrder ? new AnyOrder(ready) : new InOrder(ready);
  }

  /**
   * Takes the block at {@code index}, whose checksum is right. Borrows {@code buffer}.
   *
   * @return a content that it completes, or null; more may be {@link #nextReady ready}
   * @throws SluiceException BLOCK_CORRUPT if its payload is not what the header says; nothing has
   *     changed then. INTERNAL if the attempt is whole and its receipt says otherwise
   */
  ShuffleBlock accept(PartitionProgress progress, ByteBuf buffer, int index, BlockHeader header)
      throws IOException {
    int place = progress.expected().placeOf(header.mapAttempt());
    if (place < 0 || progress.received().has(place, header.sequence())) {
      skipped++;
      return null;
    }
    decompress(buffer, index + BlockHeader.LENGTH, header);
    order.accept(progress, place, header, output);
    progress
        .receipts()
        .add(
            progress.partition(),
            place,
            header,
            header.isLast() ? Receipt.read(buffer, index) : null,
            progress.received().isWhole(place));
    blocks++;
    records += header.recordCount();
    contentBytes += header.uncompressedLength();
    return ready.poll();
  }

  /** A further content whose turn it is, or null. */
  ShuffleBlock nextReady() {
    return ready.poll();
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
