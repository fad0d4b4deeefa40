package io.sluice.common.auth;

/** What a user may do. */
public enum Role {
  /** Register applications of its own, and look at what there is. */
  USER,
  /** Look at what there is. */
  READER,
  /** Everything. */
  ADMIN
}
