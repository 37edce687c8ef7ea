"""Reads a recording with h5py, VTK and an XML parser, none of which know COND.

usage: read_recording.py TOOL SCENES
"""
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOHDF import vtkHDFReader

tool, scenes = sys.argv[1:3]


def one_step(recording, block, step, path):
    """The grid of one step as a file of its own, which VTK 9.1 reads: it knows no time. What is
    taken follows VTKHDF's rules of offsets."""
    grid = recording["VTKHDF"][block]
    steps = grid["Steps"]
    part = steps["PartOffsets"][step]
    n = {k: int(grid["NumberOf" + k][part]) for k in ("Points", "Cells", "ConnectivityIds")}
    points, cells, corners = (
        int(steps[k][step]) for k in ("PointOffsets", "CellOffsets", "ConnectivityIdOffsets"))
    with h5py.File(path, "w") as out:
        root = out.create_group("VTKHDF")
        root.attrs["Version"] = [1, 0]
        root.attrs.create("Type", b"UnstructuredGrid", dtype="S16")
        for k, count in n.items():
            root["NumberOf" + k] = np.array([count])
        root["Points"] = grid["Points"][points:points + n["Points"]]
        root["Types"] = grid["Types"][cells:cells + n["Cells"]]
        root["Connectivity"] = grid["Connectivity"][corners:corners + n["ConnectivityIds"]]
        first = cells + part  # every part has one offset more than cells
        root["Offsets"] = grid["Offsets"][first:first + n["Cells"] + 1]
        for kind, count in (("Point", n["Points"]), ("Cell", n["Cells"])):
            group = root.create_group(kind + "Data")
            for name, data in grid[kind + "Data"].items():
                begin = int(steps[kind + "DataOffsets"][name][step])
                group[name] = data[begin:begin + count]


def read_vtk(path):
    reader = vtkHDFReader()
    assert reader.CanReadFile(path)
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def included(root, pointer):
    """The element that XPointer's element() names: its places among its brothers, from 1."""
    node, places = [root], re.fullmatch(r"element\(/([0-9/]+)\)", pointer).group(1)
    for place in places.split("/"):
        node = node[int(place) - 1]
    return node


def check_xdmf(path, recording, n_frame):
    """Every item names a dataset and rows that it has; the times are those of the recording."""
    times = []
    root = xml.parse(path).getroot()
    for frame in root.find("Domain").find("Grid").findall("Grid"):
        again = 0
        for grid in frame.iter("Grid"):
            for i, there in enumerate(grid):
                if there.tag == "{http://www.w3.org/2001/XInclude}include":
                    grid[i] = included(root, there.get("xpointer"))
                    again += 1
        assert again == (3 if times else 0)  # topology, body, colour
        bodies = frame.find("Grid").find("Grid")
        assert [part.tag for part in bodies] == ["Topology", "Geometry"] + 5 * ["Attribute"]
        assert [part.get("Name") for part in bodies][2:] == [
            "velocity", "displacement", "von_mises", "body", "colour"]
        times.append(float(frame.find("Time").get("Value")))
        for item in frame.iter("DataItem"):
            if item.get("Type") != "HyperSlab":
                continue
            start, stride, count = np.array(item[0].text.split(), int).reshape(3, -1)
            file, location = item[1].text.split(":")
            data = recording[location]
            assert file == os.path.basename(recording.filename)
            assert (stride == 1).all() and len(start) == data.ndim
            assert (start + count <= data.shape).all(), location
            assert item.get("Dimensions").split() == [str(k) for k in count]
            # The same once more, as XDMF 3 has it.
            where, slab = item.text.split("|")
            again = [np.array(part.split(), int) for part in slab.split(":")]
            assert where == item[1].text
            assert (np.array(again[:3]) == (start, stride, count)).all()
            assert (again[3] <= data.shape).all()
    assert len(times) == n_frame
    assert np.allclose(times, recording["cond/frames/time"][:n_frame])


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "drop.h5")
        subprocess.run([tool, "run", os.path.join(scenes, "drop.yaml"), "--set",
                        "step.theta=1", "--steps", "60", "--every", "3", "--record", path[:-2] + "xdmf", "--threads", "1", "--quiet"], check=True)
        with h5py.File(path, "r") as recording:
            steps = recording["VTKHDF/bodies/Steps"]
            n_frame = steps.attrs["NSteps"]
            assert n_frame == 21, n_frame
            dt = recording["cond"].attrs["time_step"]
            assert np.allclose(steps["Values"][:n_frame], 3 * dt * np.arange(n_frame))
            assert recording["cond/pose/position"].shape[0] == n_frame
            check_xdmf(os.path.join(folder, "drop.xdmf"), recording, n_frame)

            n_point = int(recording["VTKHDF/bodies/NumberOfPoints"][0])
            single = os.path.join(folder, "step.hdf")
            one_step(recording, "bodies", n_frame - 1, single)
            grid = read_vtk(single)
            assert grid.GetNumberOfPoints() == n_point
            x = vtk_to_numpy(grid.GetPoints().GetData())
            assert np.array_equal(x, recording["VTKHDF/bodies/Points"][-n_point:])
            names = [grid.GetCellData().GetArrayName(k)
                     for k in range(grid.GetCellData().GetNumberOfArrays())]
            assert sorted(names) == ["body", "colour", "von_mises"], names
            assert grid.GetCell(0).GetNumberOfPoints() in (1, 3, 4)

            count = recording["VTKHDF/contacts/NumberOfPoints"][:n_frame]
            last = int(np.flatnonzero(count)[-1])
            one_step(recording, "contacts", last, single)
            grid = read_vtk(single)
            assert grid.GetNumberOfPoints() == count[last] > 0
            force = vtk_to_numpy(grid.GetPointData().GetArray("force"))
            total = np.linalg.norm(force.astype(float), axis=1).sum()
            assert np.isclose(total, recording["cond/frames/contact_force"][last], rtol=1e-5)
    print("h5py %s and VTK read %d frames" % (h5py.__version__, n_frame))


main()
