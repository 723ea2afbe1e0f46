package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.wire.Bytes;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Encoding of a block into fragments and back. It has partial encoding (thesis, lines 1000 to 1002), the server's check
 * of a whole block (lines 1300 to 1310), and the reader's search for a block among the servers' answers (lines 1800 to
 * 1830). The count of preimages is the read protocol's.
 *
 * <p>Blocks here are padded: m * L bytes where L is the fragment length. Fragments, cross-checksums and blocks may come
 * from liars; invalid ones are refused and never cause an exception. Immutable and safe for use by many threads.
 */
public final class BlockCode {
    private final ErasureCode code;
    private final int m;
    private final int f;
    private final int n;

    /**
     * The code for blocks of any m of n fragments whose fpcc has the hashes of the first m+f: with f nodes that may be
     * faulty, partial encoding.
     *
     * @throws IllegalArgumentException unless 1 <= m, 0 <= f and m + f <= n <= 255
     */
    public BlockCode(int m, int f, int n) {
        if (f < 0 || m + f > n) {
            throw new IllegalArgumentException("no block code with m = " + m + ", f = " + f + ", n = " + n);
        }
        this.code = ErasureCode.of(m, n);
        this.m = m;
        this.f = f;
        this.n = n;
    }

    /** The code for blocks of any m of n fragments whose fpcc has the hashes of all n (thesis, definition 2.2.2). */
    public static BlockCode ofAll(int m, int n) {
        return new BlockCode(m, n - m, n);
    }

    /**
     * A block as its writer sends it.
     *
     * @param fragments those whose hashes the fpcc has
     */
    public record Encoded(Fpcc fpcc, List<Bytes> fragments) {}

    /**
     * Data that a server keeps when it was sent the whole block.
     *
     * @param fragment that of its slot, with an array of its own
     * @param cc the hashes of all n fragments of the block
     */
    public record Staged(Bytes fragment, List<Bytes> cc) {}

    public ErasureCode erasureCode() {
        return code;
    }

    /** Encodes the zero-padded block into the fragments that are hashed, and their fingerprinted cross-checksum. */
    public Encoded encode(Bytes block) {
        List<Bytes> fragments = code.encode(block, m + f);
        return new Encoded(Fpcc.of(code, f, fragments), fragments);
    }

    /** The fragments whose hashes the fpcc has; empty if the block does not encode to exactly this fpcc. */
    public Optional<List<Bytes>> encodeExactly(Fpcc fpcc, Bytes block) {
        if (!isBlockOf(fpcc, block)) {
            return Optional.empty();
        }
        Encoded encoded = encode(block);
        return encoded.fpcc().equals(fpcc) ? Optional.of(encoded.fragments()) : Optional.empty();
    }

    /**
     * Returns whether the block encodes to exactly this fpcc. Fragments beyond the first m are encoded and hashed piece by
     * piece, and not kept.
     *
     * @param consistent slots whose fragments were found consistent with it, and gave the block; m of them determine the fingerprints,
     *     so that only the hashes of the others are compared
     */
    public boolean encodes(Fpcc fpcc, Bytes block, Set<Integer> consistent) {
        if (consistent.size() < m) {
            return encodeExactly(fpcc, block).isPresent();
        }
        if (!isBlockOf(fpcc, block)) {
            return false;
        }
        int[] others = IntStream.range(0, m + f)
                .filter(slot -> !consistent.contains(slot))
                .toArray();
        MessageDigest[] digests = new MessageDigest[others.length];
        Arrays.setAll(digests, ignored -> Hashes.digest());
        code.encodePieces(block, others, (index, piece, length) -> digests[index].update(piece, 0, length));
        for (int i = 0; i < others.length; i++) {
            if (!Bytes.of(digests[i].digest()).equals(fpcc.cc().get(others[i]))) {
                return false;
            }
        }
        return true;
    }

    /**
     * The server's side of a whole block sent for {@code slot}: empty unless the block has m * L bytes and at least m of its
     * first m+f fragments are consistent with fpcc.
     */
    public Optional<Staged> acceptBlock(Bytes block, Fpcc fpcc, int slot) {
        if (slot < 0 || slot >= n || !isBlockOf(fpcc, block)) {
            return Optional.empty();
        }
        List<Bytes> fragments = code.encode(block, n);
        List<Bytes> cc = fragments.stream().map(Hashes::sha256).toList();
        if (!hasEnoughConsistent(fpcc, fragments, cc)) {
            return Optional.empty();
        }
        Bytes fragment = Bytes.of(fragments.get(slot).toByteArray());
        return Optional.of(new Staged(fragment, cc));
    }

    /**
     * Decodes the block that fpcc names, if the shares, by slot, suffice for it. Fragments consistent with fpcc are
     * right. Fragments with a cross-checksum of their own are tried in groups of equal cross-checksums. A block decoded
     * with their help counts only if at least m of its first m+f fragments are consistent with fpcc.
     */
    public Optional<Bytes> decode(Fpcc fpcc, Map<Integer, Share> shares) {
        if (!fits(fpcc)) {
            return Optional.empty();
        }
        SortedMap<Integer, Bytes> consistent = new TreeMap<>();
        Map<List<Bytes>, SortedMap<Integer, Bytes>> groups = new LinkedHashMap<>();
        new TreeMap<>(shares).forEach((slot, share) -> {
            List<Bytes> cc = share.cc();
            if (cc == null) {
                if (fpcc.isConsistent(code, slot, share.fragment())) {
                    consistent.put(slot, share.fragment());
                }
            } else if (isShareOf(fpcc, slot, share)) {
                groups.computeIfAbsent(cc, ignored -> new TreeMap<>()).put(slot, share.fragment());
            }
        });
        if (consistent.size() >= m) {
            return Optional.of(decode(consistent));
        }
        return tryGroups(fpcc, consistent, groups.values());
    }

    /** Does the same with fragments that were each found consistent with fpcc; empty if they are too few. */
    public Optional<Bytes> decodeConsistent(Fpcc fpcc, Map<Integer, Bytes> fragments) {
        return fits(fpcc) && fragments.size() >= m ? Optional.of(decode(new TreeMap<>(fragments))) : Optional.empty();
    }

    /** Tries the largest groups first: the correct servers that were sent one block agree on its cross-checksum. */
    private Optional<Bytes> tryGroups(
            Fpcc fpcc, SortedMap<Integer, Bytes> consistent, Collection<SortedMap<Integer, Bytes>> groups) {
        List<SortedMap<Integer, Bytes>> largestFirst = new ArrayList<>(groups);
        largestFirst.sort(Comparator.comparingInt((SortedMap<Integer, Bytes> g) -> g.size())
                .reversed());
        for (SortedMap<Integer, Bytes> group : largestFirst) {
            SortedMap<Integer, Bytes> union = new TreeMap<>(group);
            union.putAll(consistent);
            if (union.size() >= m) {
                Bytes block = decode(union);
                List<Bytes> fragments = code.encode(block, m + f);
                if (hasEnoughConsistent(
                        fpcc, fragments, fragments.stream().map(Hashes::sha256).toList())) {
                    return Optional.of(block);
                }
            }
        }
        return Optional.empty();
    }

    /** Decodes the first m of the fragments. */
    private Bytes decode(SortedMap<Integer, Bytes> fragments) {
        int[] indexes =
                fragments.keySet().stream().limit(m).mapToInt(Integer::intValue).toArray();
        return code.decode(indexes, fragments.values().stream().limit(m).toList());
    }

    private boolean hasEnoughConsistent(Fpcc fpcc, List<Bytes> fragments, List<Bytes> hashes) {
        int count = 0;
        for (int i = 0; i < m + f && count < m; i++) {
            if (fpcc.isConsistent(code, i, fragments.get(i), hashes.get(i))) {
                count++;
            }
        }
        return count >= m;
    }

    /**
     * Returns whether the share passes the checks that it carries with it. Without a cross-checksum of its own, it must
     * be consistent with fpcc. Otherwise the fragment has the length that fpcc says and the hash that its n-fragment
     * cross-checksum says.
     */
    public boolean isShareOf(Fpcc fpcc, int slot, Share share) {
        List<Bytes> cc = share.cc();
        if (cc == null) {
            return fits(fpcc) && fpcc.isConsistent(code, slot, share.fragment());
        }
        return fits(fpcc)
                && slot >= 0
                && slot < n
                && share.fragment().length() == fpcc.length()
                && cc.size() == n
                && cc.stream().allMatch(hash -> hash.length() == Hashes.LENGTH)
                && Hashes.sha256(share.fragment()).equals(cc.get(slot));
    }

    /** Returns whether the fragment is exactly the encoding of the accepted block for the slot. */
    public boolean matches(Bytes block, int slot, Bytes fragment) {
        return slot >= 0 && slot < n && code.encodeFragment(block, slot).equals(fragment);
    }

    /** Returns whether the block has the length, and the fpcc the shape, of this code. */
    public boolean isBlockOf(Fpcc fpcc, Bytes block) {
        return fits(fpcc) && block.length() == (long) m * fpcc.length();
    }

    private boolean fits(Fpcc fpcc) {
        return fpcc.fp().size() == m && fpcc.cc().size() == m + f;
    }
}
