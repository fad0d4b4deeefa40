package io.sluice.common.auth;

/** Permissions of a user. */
public enum Role {
  /** Register own applications, and read the state of the cluster. */
  USER,
  /** Read the state of the cluster. */
  READER,
  /** All operations. */
  ADMIN
}
