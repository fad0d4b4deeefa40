package io.sluice.server.cluster;

import io.sluice.proto.Adoption;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleMove;
import java.util.List;

/**
 * Data of lost servers that this server serves. Implementations are thread-safe and do not block.
 */
public interface AdoptedData {
  /** Of a server without a remote tier. */
  AdoptedData NONE =
      new AdoptedData() {
        @Override
        public void order(List<Adoption> adoptions) {}

        @Override
        public List<ShuffleMove> moves(ServerId self, int max) {
          return List.of();
        }

        @Override
        public void applied(List<ShuffleMove> moves) {}

        @Override
        public void leave() {}
      };

  /** Begins adoptions that a coordinator ordered; orders may be repeated. */
  void order(List<Adoption> adoptions);

  /**
   * The shuffles with adopted runs, as moves from the lost servers to this one; first those that
   * drivers have not applied.
   *
   * @param max maximum number
   */
  List<ShuffleMove> moves(ServerId self, int max);

  /** Called with moves that drivers have applied. */
  void applied(List<ShuffleMove> moves);

  /**
   * Leaves the runs of lost servers to the next adopter; called before a server that has moved its
   * data deletes its runs. A lost server that has returned may serve them, and drivers may not know
   * that they were adopted.
   */
  void leave();
}
