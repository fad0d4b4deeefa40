#!/usr/bin/env python3
"""Packs root directories as an OCI image layout, and unpacks one.

oci.py pack LAYOUT --dockerfile FILE --tag TAG --time SECONDS LAYER...
    Writes an image to the directory LAYOUT. Each LAYER is a directory with files of the image's root. The
    configuration is that of the last stage of the Dockerfile. Needs GNU tar, and root for the owners of files.
oci.py unpack LAYOUT DIRECTORY
    Verifies all digests, unpacks the layers into DIRECTORY, and prints the image's configuration as JSON.
"""

import argparse
import gzip
import hashlib
import json
import pathlib
import platform
import shlex
import subprocess
import sys

CONFIG = "application/vnd.oci.image.config.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def instructions(dockerfile):
    """The instructions of the last stage: pairs of the keyword and its arguments."""
    lines = dockerfile.read_text().replace("\\\n", " ").splitlines()
    found = [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]
    last = max(number for number, words in enumerate(found) if words[0] == "FROM")
    return found[last + 1 :]


def configuration(dockerfile):
    config = {"Env": [], "ExposedPorts": {}}
    for keyword, arguments in instructions(dockerfile):
        if keyword == "ENV":
            config["Env"] += shlex.split(arguments)
        elif keyword == "EXPOSE":
            config["ExposedPorts"].update({f"{port}/tcp": {} for port in arguments.split()})
        elif keyword in ("ENTRYPOINT", "CMD"):
            config[keyword.capitalize()] = json.loads(arguments)
        elif keyword == "USER":
            config["User"] = arguments
        elif keyword == "WORKDIR":
            config["WorkingDir"] = arguments
        elif keyword == "STOPSIGNAL":
            config["StopSignal"] = arguments
        elif keyword not in ("RUN", "COPY", "HEALTHCHECK"):
            sys.exit(f"oci.py: {dockerfile}: {keyword} is not supported")
    return config


class Layout:
    """A directory with blobs named by their digests."""

    def __init__(self, directory):
        self.directory = directory
        self.blobs = directory / "blobs" / "sha256"

    def add(self, content, media_type):
        digest = hashlib.sha256(content).hexdigest()
        (self.blobs / digest).write_bytes(content)
        return {"mediaType": media_type, "digest": "sha256:" + digest, "size": len(content)}

    def add_json(self, content, media_type):
        return self.add(json.dumps(content, sort_keys=True).encode(), media_type)

    def get(self, descriptor):
        content = (self.blobs / descriptor["digest"].removeprefix("sha256:")).read_bytes()
        found = "sha256:" + hashlib.sha256(content).hexdigest()
        if found != descriptor["digest"] or len(content) != descriptor["size"]:
            sys.exit(f"oci.py: {descriptor['digest']} has digest {found} and {len(content)} bytes")
        return content

    def get_json(self, descriptor):
        return json.loads(self.get(descriptor))


def pack(layout, dockerfile, tag, time, layers):
    layout.blobs.mkdir(parents=True)
    descriptors, diff_ids = [], []
    for layer in layers:
        command = ["tar", "-C", layer, "--sort=name", "--numeric-owner", f"--mtime=@{time}", "--format=posix"]
        command += ["--pax-option=delete=atime,delete=ctime", "-cf", "-", "."]
        content = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        diff_ids.append("sha256:" + hashlib.sha256(content).hexdigest())
        descriptors.append(layout.add(gzip.compress(content, 6, mtime=0), LAYER))
    image = {
        "architecture": ARCHITECTURES[platform.machine()],
        "os": "linux",
        "config": configuration(dockerfile),
        "rootfs": {"type": "layers", "diff_ids": diff_ids},
    }
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "layers": descriptors}
    manifest["config"] = layout.add_json(image, CONFIG)
    named = layout.add_json(manifest, MANIFEST)
    named["annotations"] = {"org.opencontainers.image.ref.name": tag}
    index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [named]}
    (layout.directory / "index.json").write_text(json.dumps(index, sort_keys=True))
    (layout.directory / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')


def unpack(layout, directory):
    (named,) = json.loads((layout.directory / "index.json").read_text())["manifests"]
    manifest = layout.get_json(named)
    image = layout.get_json(manifest["config"])
    for descriptor, diff_id in zip(manifest["layers"], image["rootfs"]["diff_ids"], strict=True):
        content = gzip.decompress(layout.get(descriptor))
        if "sha256:" + hashlib.sha256(content).hexdigest() != diff_id:
            sys.exit(f"oci.py: the contents of layer {descriptor['digest']} are not {diff_id}")
        subprocess.run(["tar", "-C", directory, "--numeric-owner", "-xpf", "-"], input=content, check=True)
    print(json.dumps(image))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    packing = commands.add_parser("pack")
    packing.add_argument("layout", type=pathlib.Path)
    packing.add_argument("--dockerfile", type=pathlib.Path, required=True)
    packing.add_argument("--tag", required=True)
    packing.add_argument("--time", required=True)
    packing.add_argument("layers", nargs="+")
    unpacking = commands.add_parser("unpack")
    unpacking.add_argument("layout", type=pathlib.Path)
    unpacking.add_argument("directory", type=pathlib.Path)
    arguments = parser.parse_args()
    layout = Layout(arguments.layout)
    if arguments.command == "pack":
        pack(layout, arguments.dockerfile, arguments.tag, arguments.time, arguments.layers)
    else:
        unpack(layout, arguments.directory)


if __name__ == "__main__":
    main()
