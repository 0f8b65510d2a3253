"""What VTK reads of VTP files: a line of JSON for each."""
import json
import sys

import vtk


def facts(path):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    arrays = {}
    points = data.GetPointData()
    for i in range(points.GetNumberOfArrays()):
        array = points.GetArray(i)
        arrays[array.GetName()] = {"components": array.GetNumberOfComponents(), "range": list(array.GetRange(-1))}
    found = {
        "vertices": data.GetNumberOfPoints(),
        "triangles": data.GetNumberOfPolys(),
        "bounds": list(data.GetBounds()),
        "arrays": arrays,
    }
    if data.GetNumberOfPolys() > 0:
        edges = vtk.vtkFeatureEdges()
        edges.SetInputData(data)
        edges.BoundaryEdgesOn()
        edges.NonManifoldEdgesOn()
        edges.FeatureEdgesOff()
        edges.ManifoldEdgesOff()
        clean = vtk.vtkCleanPolyData()
        clean.SetInputData(data)
        clean.SetTolerance(0)
        mass = vtk.vtkMassProperties()
        mass.SetInputConnection(clean.GetOutputPort())
        edges.SetInputConnection(clean.GetOutputPort())
        edges.Update()
        found["openEdges"] = edges.GetOutput().GetNumberOfCells()
        found["area"] = mass.GetSurfaceArea()
        found["volume"] = mass.GetVolume()
    return found


for path in sys.argv[1:]:
    print(json.dumps({"file": path, **facts(path)}))
