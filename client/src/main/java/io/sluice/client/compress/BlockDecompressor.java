package io.sluice.client.compress;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.xerial.snappy.Snappy;

/**
 * Decompresses payloads of all codecs. Lengths are not trusted: output is never written outside its
 * range, and an impossible length is rejected before memory is allocated for it. Owned by one
 * thread.
 */
public final class BlockDecompressor implements AutoCloseable {
  /** Maximum uncompressed bytes per byte of LZ4. */
  private static final long LZ4_MAX_RATIO = 255;

  private final int maxBlockBytes;
  private Lz4 lz4;
  private Zstandard zstd;
  private byte[] scratch = new byte[0];

  // Types of the libraries appear only in these two classes and in SnappyBlocks, so that a missing
  // library causes an error only when a block needs it.
  private static final class Lz4 {
    private final LZ4SafeDecompressor safe = LZ4Factory.fastestInstance().safeDecompressor();

    int decompress(ByteBuffer source, byte[] target, int offset, int length)
        throws SluiceException {
      try {
        return safe.decompress(
            source, source.position(), source.remaining(), ByteBuffer.wrap(target), offset, length);
      } catch (LZ4Exception e) {
        throw damaged(BlockCodec.LZ4, e);
      }
    }
  }

  private static final class Zstandard {
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();

    int decompress(byte[] source, int sourceLength, byte[] target, int offset, int length)
        throws SluiceException {
      try {
        return context.decompressByteArray(target, offset, length, source, 0, sourceLength);
      } catch (ZstdException e) {
        throw damaged(BlockCodec.ZSTD, e);
      }
    }
  }

  private static final class SnappyBlocks {
    private SnappyBlocks() {}

    static int decompress(byte[] source, int sourceLength, byte[] target, int offset, int length)
        throws SluiceException {
      try {
        int claimed = Snappy.uncompressedLength(source, 0, sourceLength);
        if (claimed != length) {
          return claimed;
        }
        return Snappy.uncompress(source, 0, sourceLength, target, offset);
      } catch (IOException e) {
        throw damaged(BlockCodec.SNAPPY, e);
      }
    }
  }

  BlockDecompressor(int maxBlockBytes) {
    this.maxBlockBytes = maxBlockBytes;
  }

  /**
   * Rejects an impossible uncompressed length. Callers check it before they allocate a buffer.
   *
   * @throws SluiceException BLOCK_CORRUPT
   */
  public void checkLength(BlockCodec codec, int payloadLength, int uncompressedLength)
      throws SluiceException {
    boolean possible =
        switch (codec) {
          case NONE -> uncompressedLength == payloadLength;
          case LZ4 -> uncompressedLength <= payloadLength * LZ4_MAX_RATIO;
          case ZSTD, SNAPPY -> true;
        };
    if (!possible || uncompressedLength < 0 || uncompressedLength > maxBlockBytes) {
      throw new SluiceException(
          StatusCode.BLOCK_CORRUPT,
          "invalid uncompressed length of a block: codec="
              + codec
              + " payloadBytes="
              + payloadLength
              + " uncompressedBytes="
              + uncompressedLength
              + " limit="
              + maxBlockBytes);
    }
  }

  /**
   * Rejects impossible lengths of encoded records. Callers check them before they allocate buffers.
   *
   * @param encodedLength bytes of the records once decompressed
   * @param length bytes of the records once decoded
   * @throws SluiceException BLOCK_CORRUPT
   */
  public void checkEncodedLength(BlockCodec codec, int payloadLength, int encodedLength, int length)
      throws SluiceException {
    checkLength(codec, payloadLength, encodedLength);
    // Only smaller records are encoded.
    if (encodedLength >= length || length > maxBlockBytes) {
      throw new SluiceException(
          StatusCode.BLOCK_CORRUPT,
          "invalid length of encoded records: encodedBytes="
              + encodedLength
              + " bytes="
              + length
              + " limit="
              + maxBlockBytes);
    }
  }

  /**
   * Decompresses exactly {@code length} bytes.
   *
   * @param source borrows: the payload, from position to limit, in a heap or direct buffer
   * @param target borrows: at least {@code length} bytes at {@code offset}
   * @throws SluiceException BLOCK_CORRUPT if the payload has another uncompressed length;
   *     BAD_REQUEST if the library of the codec is not available
   */
  public void decompress(BlockCodec codec, ByteBuffer source, byte[] target, int offset, int length)
      throws SluiceException {
    int payloadLength = source.remaining();
    checkLength(codec, payloadLength, length);
    int found;
    try {
      found =
          switch (codec) {
            case NONE -> copy(source, target, offset, length);
            case LZ4 -> lz4().decompress(source, target, offset, length);
            case ZSTD -> zstd().decompress(array(source), payloadLength, target, offset, length);
            case SNAPPY ->
                SnappyBlocks.decompress(array(source), payloadLength, target, offset, length);
          };
    } catch (LinkageError e) {
      throw BlockCodecs.unavailable(codec, e);
    }
    if (found != length) {
      throw new SluiceException(
          StatusCode.BLOCK_CORRUPT,
          "wrong uncompressed length of a block: codec="
              + codec
              + " expected="
              + length
              + " found="
              + found);
    }
  }

  private static int copy(ByteBuffer source, byte[] target, int offset, int length) {
    source.get(source.position(), target, offset, length);
    return length;
  }

  private Lz4 lz4() {
    if (lz4 == null) {
      lz4 = new Lz4();
    }
    return lz4;
  }

  private Zstandard zstd() {
    if (zstd == null) {
      zstd = new Zstandard();
    }
    return zstd;
  }

  private byte[] array(ByteBuffer source) {
    int length = source.remaining();
    if (scratch.length < length) {
      scratch = new byte[Math.max(length, scratch.length * 2)];
    }
    source.get(source.position(), scratch, 0, length);
    return scratch;
  }

  private static SluiceException damaged(BlockCodec codec, Exception cause) {
    return new SluiceException(
        StatusCode.BLOCK_CORRUPT,
        "decompression failed, codec=" + codec + ": " + cause.getMessage(),
        cause);
  }

  /** Frees the resources of the libraries. Idempotent. */
  @Override
  public void close() {
    if (zstd != null) {
      zstd.context.close();
      zstd = null;
    }
    scratch = Arrays.copyOf(scratch, 0);
  }
}
