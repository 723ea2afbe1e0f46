package io.bulwark.gateway.s3.object;

import io.bulwark.gateway.s3.request.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sizes of the parts from which an object was made, in order. */
public record PartSizes(List<Long> sizes) {
    public static final int PARTS_MAX = 10_000;

    /** Property with the sizes; runs of equal sizes are written once. */
    public static final String PROPERTY = "s3-parts";

    private static final int TEXT_MAX = 2048;

    public PartSizes {
        sizes = List.copyOf(sizes);
    }

    static PartSizes single(long length) {
        return new PartSizes(List.of(length));
    }

    /** Returns what the properties of a version say; empty if it was not made from parts, or from too different ones. */
    static Optional<PartSizes> of(Map<String, String> properties) {
        return Optional.ofNullable(properties.get(PROPERTY)).map(PartSizes::parse);
    }

    int count() {
        return sizes.size();
    }

    ByteRange range(int number) {
        if (number > sizes.size()) {
            throw ErrorCode.INVALID_PART_NUMBER.because("The requested partnumber is not satisfiable");
        }
        long offset =
                sizes.subList(0, number - 1).stream().mapToLong(Long::longValue).sum();
        return new ByteRange(offset, sizes.get(number - 1));
    }

    /** Returns the property, unless it were too long. */
    public Optional<String> toText() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < sizes.size(); ) {
            int end = i;
            while (end < sizes.size() && sizes.get(end).equals(sizes.get(i))) {
                end++;
            }
            text.append(text.isEmpty() ? "" : ",").append(sizes.get(i));
            if (end - i > 1) {
                text.append('*').append(end - i);
            }
            i = end;
        }
        return text.length() > TEXT_MAX ? Optional.empty() : Optional.of(text.toString());
    }

    private static PartSizes parse(String text) {
        List<Long> sizes = new ArrayList<>();
        for (String run : text.split(",", -1)) {
            int star = run.indexOf('*');
            long size = Long.parseLong(star < 0 ? run : run.substring(0, star));
            int count = star < 0 ? 1 : Integer.parseInt(run.substring(star + 1));
            if (size < 0 || count < 1 || count > PARTS_MAX - sizes.size()) {
                throw new IllegalArgumentException("not sizes of parts: " + text);
            }
            for (int i = 0; i < count; i++) {
                sizes.add(size);
            }
        }
        return new PartSizes(sizes);
    }
}
