package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.List;

/** Reads the bytes of pieces that a log returned, from memory and files. */
public final class PieceBytes {
  private PieceBytes() {}

  /**
   * Reads pieces in their order.
   *
   * @param pieces releases
   */
  public static ByteBuf read(List<LogPiece> pieces) throws IOException {
    ByteBuf found = Unpooled.buffer();
    for (LogPiece piece : pieces) {
      try {
        if (piece instanceof LogPiece.InMemory bytes) {
          found.writeBytes(bytes.buffer().duplicate());
        } else {
          LogPiece.InFile file = (LogPiece.InFile) piece;
          for (int done = 0; done < file.length(); ) {
            done +=
                found.writeBytes(
                    file.run().channel(), file.position() + done, file.length() - done);
          }
        }
      } finally {
        piece.release();
      }
    }
    return found;
  }
}
