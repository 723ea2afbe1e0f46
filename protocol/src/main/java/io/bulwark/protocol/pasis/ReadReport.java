package io.bulwark.protocol.pasis;

/**
 * Course of a read, for those who plan the next ones.
 *
 * @param delta of its plan
 * @param planned the number of fragments that its first round asked for
 * @param asked how many nodes were asked
 * @param secondRound whether the answers of the first round were not enough
 * @param fetched whether a fragment was asked for after the first round
 * @param bytes all bytes of fragments that nodes sent
 */
public record ReadReport(int delta, int planned, int asked, boolean secondRound, boolean fetched, long bytes) {}
