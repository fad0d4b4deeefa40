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
 * Decompresses payloads of every codec, without trust in lengths: output never leaves its room, and
 * a length that cannot be true is refused before anything is allocated for it. Belongs to one
 * thread.
 */
public final class BlockDecompressor implements AutoCloseable {
  /** What one byte of LZ4 can stand for at most. */
  private static final long LZ4_MAX_RATIO = 255;

  private final int maxBlockBytes;
  private Lz4 lz4;
  private Zstandard zstd;
  private byte[] scratch = new byte[0];

  // The libraries' types appear only inside these two and SnappyBlocks, so that a library that is
  // not there is missed only when one of its blocks comes.
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
        int said = Snappy.uncompressedLength(source, 0, sourceLength);
        if (said != length) {
          return said;
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
   * Refuses a length that the payload cannot become; to be asked before room is made for it.
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
          "a payload of "
              + payloadLength
              + " bytes ("
              + codec
              + ") cannot be "
              + uncompressedLength
              + " bytes uncompressed; limit "
              + maxBlockBytes);
    }
  }

  /**
   * Decompresses exactly {@code length} bytes.
   *
   * @param source borrows: the payload, from position to limit, on the heap or off it
   * @param target borrows: has room for {@code length} bytes at {@code offset}
   * @throws SluiceException BLOCK_CORRUPT if the payload is not that many bytes; BAD_REQUEST if the
   *     codec's library is missing
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
          "payload (" + codec + "): expected " + length + " bytes uncompressed, found " + found);
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
        "payload cannot be decompressed (" + codec + "): " + cause.getMessage(),
        cause);
  }

  /** Frees what the libraries hold. Idempotent. */
  @Override
  public void close() {
    if (zstd != null) {
      zstd.context.close();
      zstd = null;
    }
    scratch = Arrays.copyOf(scratch, 0);
  }
}
