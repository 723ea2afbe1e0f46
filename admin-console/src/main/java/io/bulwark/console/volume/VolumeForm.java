package io.bulwark.console.volume;

import io.bulwark.client.text.Quantity;
import io.bulwark.console.http.ApiException;
import org.jspecify.annotations.Nullable;

/** The fields of the page that creates a volume, as they were typed. */
public class VolumeForm {
    private String name = "";
    private String kind = "object";
    private String protection = "fp";
    private String faults = "1";
    private String faultsMax = "";
    private String dataFragments = "";
    private String fragments = "";
    private String blockBytes = "";
    private String blocks = "";
    private String groups = "";
    private String quotaBytes = "";

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name.trim();
    }

    public String getKind() {
        return kind;
    }

    public void setKind(String kind) {
        this.kind = kind;
    }

    /** Returns the protocol and when it verifies: {@code fp}, {@code masking}, or {@code pasis-} and the time. */
    public String getProtection() {
        return protection;
    }

    public void setProtection(String protection) {
        this.protection = protection;
    }

    public String getFaults() {
        return faults;
    }

    public void setFaults(String faults) {
        this.faults = faults.trim();
    }

    public String getFaultsMax() {
        return faultsMax;
    }

    public void setFaultsMax(String faultsMax) {
        this.faultsMax = faultsMax.trim();
    }

    public String getDataFragments() {
        return dataFragments;
    }

    public void setDataFragments(String dataFragments) {
        this.dataFragments = dataFragments.trim();
    }

    public String getFragments() {
        return fragments;
    }

    public void setFragments(String fragments) {
        this.fragments = fragments.trim();
    }

    public String getBlockBytes() {
        return blockBytes;
    }

    public void setBlockBytes(String blockBytes) {
        this.blockBytes = blockBytes.trim();
    }

    public String getBlocks() {
        return blocks;
    }

    public void setBlocks(String blocks) {
        this.blocks = blocks.trim();
    }

    public String getGroups() {
        return groups;
    }

    public void setGroups(String groups) {
        this.groups = groups.trim();
    }

    public String getQuotaBytes() {
        return quotaBytes;
    }

    public void setQuotaBytes(String quotaBytes) {
        this.quotaBytes = quotaBytes.trim();
    }

    Volumes.Creation creation() {
        boolean pasis = protection.startsWith("pasis-");
        return new Volumes.Creation(
                name,
                kind,
                pasis ? "pasis" : protection,
                pasis ? protection.substring("pasis-".length()) : null,
                whole("faults", faults),
                whole("faultsMax", faultsMax),
                whole("dataFragments", dataFragments),
                whole("fragments", fragments),
                toWhole("blockBytes", size("blockBytes", blockBytes), blockBytes),
                number("blocks", blocks),
                whole("groups", groups),
                size("quotaBytes", quotaBytes));
    }

    private static @Nullable Integer whole(String field, String typed) {
        return toWhole(field, number(field, typed), typed);
    }

    private static @Nullable Long size(String field, String typed) {
        try {
            return typed.isEmpty() ? null : Quantity.parseBytes(typed);
        } catch (IllegalArgumentException e) {
            throw ApiException.badField(field, field + ": " + e.getMessage());
        }
    }

    private static @Nullable Integer toWhole(String field, @Nullable Long number, String typed) {
        if (number != null && number > Integer.MAX_VALUE) {
            throw ApiException.badField(field, field + " is too large: " + typed);
        }
        return number == null ? null : number.intValue();
    }

    private static @Nullable Long number(String field, String typed) {
        if (typed.isEmpty()) {
            return null;
        }
        try {
            long number = Long.parseLong(typed);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The message below covers it.
        }
        throw ApiException.badField(field, field + " is a number of 0 or more, not \"" + typed + "\"");
    }
}
