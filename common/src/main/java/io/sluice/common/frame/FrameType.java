package io.sluice.common.frame;

/** What a frame's head is. The wire numbers never change meaning. */
public enum FrameType {
  HELLO(1),
  HELLO_REPLY(2),
  PUSH(3),
  PUSH_ACK(4),
  OPEN(5),
  OPEN_REPLY(6),
  FETCH(7),
  FETCH_REPLY(8),
  ERROR(9),
  CHALLENGE(10),
  PROOF(11);

  private static final FrameType[] BY_NUMBER = new FrameType[12];

  static {
    for (FrameType type : values()) {
      BY_NUMBER[type.wireNumber] = type;
    }
  }

  private final int wireNumber;

  FrameType(int wireNumber) {
    this.wireNumber = wireNumber;
  }

  public int wireNumber() {
    return wireNumber;
  }

  /** Whether a frame of this type may have a body. */
  public boolean mayHaveBody() {
    return this == PUSH || this == FETCH_REPLY;
  }

  /** The type of a wire number, or null for one that this version does not know. */
  static FrameType ofWireNumber(int number) {
    return number < BY_NUMBER.length ? BY_NUMBER[number] : null;
  }
}
